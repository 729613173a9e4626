"""What several pages use.

frame         the frame around every page
words         text from outside, small tables; reasons: the parts of a definition with ticks
addresses     where numbers lead; links, ways: how a page goes there
campaigns     which campaign a page shows
jobs          campaigns, proofs and measurements as they run: badge, polling, Cancel and Resume
campaign_state  how far a campaign is, and what it shows
attempts      the attempts at one test condition
facts         what was run: everything that decides a campaign's numbers
charts        a figure in the page's colours
layer_tables  tables by layer
downloads     figures, tables and test pairs as files
cards         one test pair
filter        which test pairs are shown
fields        parameters of a new campaign or measurement
network       network and data; own: how others get into the menus
criterion     criterion and value functions
lists         entries of a list, a page at a time
holding       widgets that show what the address says
"""
