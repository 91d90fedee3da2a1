/** Names whose values are somebody's credentials more often than not. */
export const CREDENTIAL =
  /auth(?!or(?!iz)|entic)|keyring|private|cookie|secret|token|passw|api[-_]?key|credential|session/i;
