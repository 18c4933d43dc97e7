"""Cases: what moderators follow up on, from a report or a note to its outcome."""
