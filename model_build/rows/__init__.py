"""Stage 1: labeled texts from many sources, chosen, weighted and augmented."""
