import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** OpenID providers, and GitHub, with which people sign in. */
export const signInProviders = table("sign_in_providers", {
  columns: {
    id: text().primaryKey(),
    kind: text<"oidc" | "github" | "ldap">(),
    name: text(),
    /** The issuer's URL, without a slash at its end unless the issuer has one. */
    issuer: text(),
    client_id: text(),
    /** JSON list of the domains that addresses must have; an empty list allows all. */
    email_domains: text(),
    /** 1 if every address of the provider counts as verified. */
    trusts_email: integer(),
    /** 1 if everyone with an account at the provider gets one here. */
    admits_everyone: integer(),
    /** 1 if a verified address gets what was imported for it. */
    claims_imports: integer().default(0),
    /** 1 if the issuer may only be on the public internet, because the owner did not enter it. */
    public_only: integer().default(0),
    /** The claim that names a person's groups; null if groups do not depend on this provider. */
    groups_claim: text().nullable(),
    /** JSON: where and how an LDAP directory is searched; null for other kinds. */
    directory: text().nullable(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  backup: "in backup",
});

/** The client secrets of those providers, encrypted. Backups leave them out. */
export const signInProviderSecrets = table("sign_in_provider_secrets", {
  columns: {
    provider_id: text().primaryKey().references("sign_in_providers", "cascade"),
    ciphertext: text(),
    key_id: text(),
  },
  // As those of model providers. They are entered again after a restore.
  backup: "secret",
});

/** Who an account is at a provider. */
export const identities = table("identities", {
  columns: {
    provider_id: text().references("sign_in_providers", "cascade"),
    /** The provider's id of the person, which never changes, unlike the address. */
    subject: text(),
    user_id: text().references("users", "cascade"),
    email: text().nullable(),
    created_at: bigint(),
    last_used_at: bigint(),
  },
  constraints: ["primary key (provider_id, subject)"],
  indexes: {
    identities_by_user: { on: "user_id, provider_id", isUnique: true },
  },
  backup: "in backup",
});

/** Sign-ins at a provider that have begun. Each is used once, within minutes. */
export const signInFlows = table("sign_in_flows", {
  columns: {
    flow_hash: text().primaryKey(),
    provider_id: text().references("sign_in_providers", "cascade"),
    /** The account that the identity is to be added to; null when somebody signs in. */
    user_id: text().nullable().references("users", "cascade"),
    invitation_hash: text().nullable(),
    expires_at: bigint(),
  },
  indexes: {
    sign_in_flows_by_user: "user_id",
    sign_in_flows_by_expiry: "expires_at",
  },
  backup: "in backup",
});
