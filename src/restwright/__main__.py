"""`python -m restwright` is the same as `restwright`."""

import sys

from restwright.cli import main

sys.exit(main())
