"""The mark of drycell, for the header and the browser's tab: an arm over a table."""

from typing import Final

MARK: Final = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="20" height="20">
<rect width="32" height="32" rx="6" fill="#1565c0"/>
<path d="M5 26h22M9 26v-7l6-8 8 3" fill="none" stroke="#fff" stroke-width="2.6"
 stroke-linecap="round" stroke-linejoin="round"/>
<circle cx="9" cy="19" r="2.2" fill="#fff"/><circle cx="15" cy="11" r="2.2" fill="#fff"/>
<path d="M23 14v3m-2.5 0h5" fill="none" stroke="#ffd54f" stroke-width="2.4" stroke-linecap="round"/></svg>"""
