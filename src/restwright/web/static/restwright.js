// Small things that HTML alone cannot do; everything else is made by the server.
"use strict";
