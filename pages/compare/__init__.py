"""Compare: several campaigns beside each other.

choice      which campaigns
main_table  networks by criteria, and what the campaigns differ in
figures     distances, layers, top weights, feature sizes, linear programmes
"""
