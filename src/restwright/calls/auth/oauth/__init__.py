"""OAuth 2: how an access token is obtained. The flows do no I/O."""
