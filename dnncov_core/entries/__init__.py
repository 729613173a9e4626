"""What a user has: campaigns and measurements as one list. Reading order:

``kinds`` -- the two kinds, the files of an entry, the user's own names and notes, and names that tell campaigns apart;
``rows`` -- an entry in a line; ``trash`` -- what is deleted and not yet gone; ``ready_made`` -- entries to begin with.
"""
