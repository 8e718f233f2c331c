import type { Clock } from "#server/lib/clock.ts";
import type { SecretVault } from "../secret-vault.ts";
import { clientSecretOf } from "./client-secrets.ts";
import type { ProviderClient, ProviderPlace } from "./profile.ts";
import type { ProviderRow } from "./rows.ts";

/** 10 minutes: how long a discovery document is used. Unknown keys are fetched at once. */
const freshMs = 10 * 60_000;

/** Clients of the stored providers. */
export type ProviderClients = {
  /** The client of a provider. Throws whatever is wrong with it. */
  clientOf(row: ProviderRow): Promise<ProviderClient>;
};

export function createProviderClients({
  clock,
  vault,
}: {
  clock: Clock;
  vault: SecretVault;
}): ProviderClients {
  const cached = new Map<string, { version: number; readAt: number; client: Promise<ProviderClient> }>();
  return {
    async clientOf(row) {
      const found = cached.get(row.id);
      if (found?.version === row.updated_at && clock.now() - found.readAt < freshMs)
        return await found.client;
      if (row.kind === "ldap") throw new Error("A directory has no such client.");
      const client = connect(row.kind, {
        issuer: row.issuer,
        clientId: row.client_id,
        clientSecret: clientSecretOf(vault, row),
        groupsClaim: row.groups_claim ?? undefined,
        isPublicOnly: row.public_only === 1,
      });
      cached.set(row.id, { version: row.updated_at, readAt: clock.now(), client });
      // The next sign-in tries again.
      client.catch(() => cached.delete(row.id));
      return await client;
    },
  };
}

/** Loads the library when it is first needed. Throws if nothing answers at the issuer's URL. */
export async function connect(
  kind: Exclude<ProviderRow["kind"], "ldap">,
  place: ProviderPlace,
): Promise<ProviderClient> {
  if (kind === "github") return (await import("./github.ts")).createGitHub(place);
  return await (await import("./oidc.ts")).discoverOidc(place);
}
