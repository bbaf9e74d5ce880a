"""Small games of other libraries on `tabletop_core`, so that both sides do the same work.

They are complete games with all views, but they are measured only and not shipped.
"""
