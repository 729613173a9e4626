"""What several pages use.

frame           the frame around every page
words           text from outside, and small tables
address         what the address of a page says: read, written, and bound to widgets
links           where numbers lead, and links there
drill_down      from a figure to what is behind it, by a click or by links below it
gallery         which test pairs are shown
campaigns       which campaign a page shows
jobs            campaigns, proofs and measurements as they run: badge, polling, Cancel and Resume
campaign_state  how far a campaign is, and what it shows
facts           what was run: everything that decides a campaign's numbers
charts          a figure in the page's colours
layer_tables    tables by layer
attempts        the attempts at one test condition
cards           one test pair
reasons         the parts of a definition, with ticks
downloads       figures, tables and test pairs as files
lists           campaigns or measurements, a page at a time, each with a link
fields          parameters of a new campaign or measurement
network         networks and data in menus
formula         a criterion's formula, and what its signs mean
"""
