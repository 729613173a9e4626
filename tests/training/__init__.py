"""How the committed networks were made: ``python -m tests.training`` trains them and writes weights and cards.

courses says which networks belong to a data set and how they are trained, trainer trains, and trainable has the modules
as they are trained. pretrained_cards makes the cards of torchvision's networks.
"""
