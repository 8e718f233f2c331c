/** Who somebody is at a provider. */
export type Profile = {
  /** Never changes, unlike the address. */
  subject: string;
  name: string | undefined;
  email: string | undefined;
  /** Whether the provider says that the address belongs to the person. */
  isEmailVerified: boolean;
  /** The values of the claim that names groups; empty if the provider names none, `undefined` if they cannot be known. */
  groups: string[] | undefined;
};

/** The secrets of one sign-in: all are derived from the flow that only the browser has. */
export type FlowSecrets = { state: string; nonce: string; codeVerifier: string };

/** A provider that people sign in with, as the protocol sees it. */
export type ProviderClient = {
  /** Where the browser is sent. */
  authorizationUrl(redirectUri: string, secrets: FlowSecrets): Promise<URL>;
  /** Who the person is, from the URL with which the provider sent the browser back. Throws whatever is wrong with it. */
  profileOf(currentUrl: URL, secrets: FlowSecrets): Promise<Profile>;
};

/** What a client of a provider needs. */
export type ProviderPlace = {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** The claim that names a person's groups. */
  groupsClaim?: string | undefined;
  /** Requests to an address in another network than the internet fail, whatever the host's name resolves to later. */
  isPublicOnly?: boolean;
};
