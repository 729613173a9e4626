"""Overview: everything that somebody has.

entries      all campaigns and measurements, as cards and as a table
menu         their names and notes, deletion, the trash
first_visit  the four criteria in a minute, and examples
"""
