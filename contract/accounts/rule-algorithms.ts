/**
 * The signature algorithms that a sign-in provider of an app can use. All of them use key pairs: with a shared secret or
 * `none`, anyone who knows the public keys could sign too.
 */
export const ruleAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;
export type RuleAlgorithm = (typeof ruleAlgorithms)[number];
