import type { SignInProviderKind } from "#contract/endpoints/sign-in-providers.ts";

/** What is known of a service before it is configured. Names of products are the same in every language. */
export type ProviderPreset = {
  kind: SignInProviderKind;
  name: string;
  /** The issuer, if it is the same for everyone. */
  issuer?: string;
  /** What the issuer looks like. */
  example: string;
};

export const providerPresets = {
  oidc: { kind: "oidc", name: "", example: "https://id.example.com" },
  google: { kind: "oidc", name: "Google", issuer: "https://accounts.google.com", example: "" },
  microsoft: {
    kind: "oidc",
    name: "Microsoft",
    example: "https://login.microsoftonline.com/TENANT-ID/v2.0",
  },
  github: { kind: "github", name: "GitHub", issuer: "https://github.com", example: "" },
  keycloak: { kind: "oidc", name: "Keycloak", example: "https://id.example.com/realms/REALM" },
  authentik: { kind: "oidc", name: "Authentik", example: "https://id.example.com/application/o/SLUG/" },
  zitadel: { kind: "oidc", name: "Zitadel", example: "https://INSTANCE.zitadel.cloud" },
} as const satisfies Record<string, ProviderPreset>;
export type ProviderPresetName = keyof typeof providerPresets;
