import type { BodyOf } from "#contract/api.ts";
import { emailKey } from "#contract/accounts/email.ts";
import type { Role } from "#contract/accounts/permissions.ts";
import { signInProviderId } from "#contract/accounts/sign-in-provider-id.ts";
import { isDirectoryUrl, type Directory } from "#contract/endpoints/directories.ts";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { limits } from "#contract/limits.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { checkMayConnect, confirmsPrivateHost } from "#server/fetch/hosts.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { checkDirectory } from "../directories/find-person.ts";
import {
  checkEncryption,
  directoryOf,
  namesSamePeople,
  locationOf,
} from "../directories/stored-directory.ts";
import type { ClaimedGroups } from "#server/people/groups/claimed-groups.ts";
import type { SecretVault } from "../secret-vault.ts";
import { clientSecretOf, storeClientSecret } from "./client-secrets.ts";
import { deleteIdentitiesAt, isOnlyMethodOfOwner, lockPeopleAt } from "./identity-rows.ts";
import { connect } from "./provider-clients.ts";
import * as rows from "./rows.ts";

/** An administrator, or an owner. */
export type ProviderManager = Actor & { role: Role };

/** What administrators do with the providers that people sign in with. */
export type ManageSignInProviders = ReturnType<typeof createManageSignInProviders>;

export function createManageSignInProviders(options: {
  db: Database;
  clock: Clock;
  vault: SecretVault;
  claimedGroups: ClaimedGroups;
  /** Whether secrets may be stored: the secret that encrypts them is known to every server of this database. */
  mayStoreSecrets: boolean;
  /** The host name that people open, if it is set. */
  host: string | undefined;
}) {
  const { db, clock, vault, mayStoreSecrets } = options;

  function checkSecret(clientSecret: string | null | undefined): void {
    if (clientSecret != null && !mayStoreSecrets) throw new AppError("secret-not-set");
  }

  async function lockProvider(tx: Tx, id: string): Promise<rows.ProviderRow> {
    const row = await rows.lockProvider(tx, id);
    if (row === undefined) throw new AppError("sign-in-provider-not-found");
    return row;
  }

  /** Disconnects all people, and empties the groups that the provider decides about. Throws `last-sign-in-method` if an owner could no longer sign in. */
  async function disconnectEveryone(tx: Tx, id: string): Promise<void> {
    if (await isOnlyMethodOfOwner(tx.q, id, options.host)) throw new AppError("last-sign-in-method");
    await deleteIdentitiesAt(tx, id);
    await options.claimedGroups.empty(tx, id);
  }

  /** Throws `provider-private` and `provider-not-usable`. */
  async function requireUsable(
    { role }: ProviderManager,
    place: Pick<rows.ProviderRow, "kind" | "issuer" | "client_id" | "directory" | "groups_claim">,
    secret: string | undefined,
  ): Promise<void> {
    const { kind, issuer, client_id: clientId } = place;
    await checkMayConnect(role, issuer);
    const isPublicOnly = role !== "owner";
    const directory = directoryOf(place);
    if (kind === "ldap") {
      const at = locationOf(issuer, directory!, { bindPassword: secret, isPublicOnly });
      const search = { directory: directory!, groupsAttribute: place.groups_claim ?? undefined };
      await checkDirectory(at, search).catch((cause: unknown) => {
        throw new AppError("provider-not-usable", { cause });
      });
      return;
    }
    await connect(kind, { issuer, clientId, clientSecret: undefined, isPublicOnly }).catch(
      (cause: unknown) => {
        throw new AppError("provider-not-usable", { cause });
      },
    );
  }

  function present(row: rows.ProviderRow, webUrl: string): SignInProvider {
    return {
      id: row.id,
      kind: row.kind,
      name: row.name,
      issuer: row.issuer,
      client_id: row.client_id,
      email_domains: domainsOf(row),
      trusts_email: row.trusts_email === 1,
      admits_everyone: row.admits_everyone === 1,
      claims_imports: row.claims_imports === 1,
      groups_claim: row.groups_claim,
      directory: directoryOf(row),
      has_secret: row.ciphertext !== null,
      is_usable: row.ciphertext === null || clientSecretOf(vault, row) !== undefined,
      redirect_uri: redirectUriOf(webUrl, row.id),
      people: Number(row.people),
      created_at: isoTime(row.created_at),
    };
  }

  return {
    names: async () => await rows.listProviderNames(db.read),

    list: async (webUrl: string) => (await rows.listProviders(db.read)).map((row) => present(row, webUrl)),

    /** Throws `too-many-providers`, `secret-not-set`, `provider-private` and `provider-not-usable`. */
    async create(
      manager: ProviderManager,
      body: BodyOf<"signInProviders.create">,
      webUrl: string,
    ): Promise<SignInProvider> {
      checkSecret(body.client_secret);
      const issuer = toIssuer(body.issuer);
      checkFields({ ...body, issuer });
      const directory = body.directory === undefined ? null : JSON.stringify(body.directory);
      const place = { ...body, issuer, directory, groups_claim: body.groups_claim ?? null };
      await requireUsable(manager, place, body.client_secret);
      const created = await db.write(async (tx) => {
        const existing = await rows.listProviders(tx.q);
        if (existing.length >= limits.providersMax) throw new AppError("too-many-providers");
        const nowMs = clock.now();
        const id = signInProviderId(body.name, existing);
        await rows.insertProvider(tx, {
          id,
          kind: body.kind,
          name: cleanText(body.name),
          issuer,
          client_id: body.client_id,
          email_domains: toColumn(body.email_domains),
          trusts_email: body.trusts_email ? 1 : 0,
          admits_everyone: body.admits_everyone ? 1 : 0,
          claims_imports: body.claims_imports === true ? 1 : 0,
          groups_claim: body.groups_claim ?? null,
          directory,
          public_only: manager.role === "owner" ? 0 : 1,
          created_at: nowMs,
          updated_at: nowMs,
        });
        if (body.client_secret !== undefined)
          await storeClientSecret(tx, vault, { id, issuer }, body.client_secret);
        await record(tx, "sign-in-provider-added", manager, id, body, nowMs);
        return (await rows.findProvider(tx.q, id))!;
      });
      return present(created, webUrl);
    },

    /**
     * Throws `sign-in-provider-not-found`, `provider-changed`, `secret-not-set`, `provider-private`,
     * `provider-not-usable` and `last-sign-in-method`.
     */
    async update(
      manager: ProviderManager,
      id: string,
      body: BodyOf<"signInProviders.update">,
      webUrl: string,
    ): Promise<SignInProvider> {
      checkSecret(body.client_secret);
      const before = await rows.findProvider(db.read, id);
      if (before === undefined) throw new AppError("sign-in-provider-not-found");
      const newIssuer = body.issuer === undefined ? undefined : toIssuer(body.issuer);
      const directory = body.directory === undefined ? before.directory : JSON.stringify(body.directory);
      const next = { ...before, issuer: newIssuer ?? before.issuer, directory };
      checkFields({ ...next, directory: directoryOf(next) ?? undefined });
      // A stored secret is never sent to another server.
      const storedSecret = next.issuer === before.issuer ? clientSecretOf(vault, before) : undefined;
      if (next.issuer !== before.issuer || directory !== before.directory)
        await requireUsable(manager, next, body.client_secret ?? storedSecret);
      const isConfirmedPrivate =
        newIssuer !== undefined && (await confirmsPrivateHost(manager.role, newIssuer));
      const changed = await db.write(async (tx) => {
        if (newIssuer !== undefined || body.directory !== undefined) await lockPeopleAt(tx, id);
        const row = await lockProvider(tx, id);
        // What was checked above, and the secret that is stored below, are for another server.
        const isForIssuer =
          newIssuer !== undefined || body.directory !== undefined || body.client_secret != null;
        const isForDirectory = newIssuer !== undefined && body.directory === undefined;
        if (
          (isForIssuer && row.issuer !== before.issuer) ||
          (isForDirectory && row.directory !== before.directory)
        )
          throw new AppError("provider-changed");
        const issuer = newIssuer ?? row.issuer;
        const newRow = { issuer, directory: body.directory === undefined ? row.directory : directory };
        const nowMs = Math.max(clock.now(), row.updated_at + 1);
        if (issuer !== row.issuer && row.ciphertext !== null && body.client_secret === undefined)
          throw badRequest("body.client_secret", "must be sent again, because the issuer has changed");
        // Another issuer may use the same subject for another person.
        if (!namesSamePeople(newRow, row)) await disconnectEveryone(tx, id);
        await rows.updateProvider(tx, id, {
          ...newRow,
          ...(issuer !== row.issuer || isConfirmedPrivate
            ? { public_only: manager.role === "owner" ? 0 : 1 }
            : {}),
          updated_at: nowMs,
          ...(body.name === undefined ? {} : { name: cleanText(body.name) }),
          ...(body.client_id === undefined ? {} : { client_id: body.client_id }),
          ...(body.email_domains === undefined ? {} : { email_domains: toColumn(body.email_domains) }),
          ...(body.trusts_email === undefined ? {} : { trusts_email: body.trusts_email ? 1 : 0 }),
          ...(body.admits_everyone === undefined ? {} : { admits_everyone: body.admits_everyone ? 1 : 0 }),
          ...(body.claims_imports === undefined ? {} : { claims_imports: body.claims_imports ? 1 : 0 }),
          ...(body.groups_claim === undefined ? {} : { groups_claim: body.groups_claim }),
        });
        if (body.client_secret === null) await rows.deleteSecret(tx, id);
        else if (body.client_secret !== undefined)
          await storeClientSecret(tx, vault, { id, issuer }, body.client_secret);
        await record(tx, "sign-in-provider-changed", manager, id, body, nowMs);
        return (await rows.findProvider(tx.q, id))!;
      });
      return present(changed, webUrl);
    },

    /** Throws `sign-in-provider-not-found` and `last-sign-in-method`. */
    async remove(actor: Actor, id: string): Promise<void> {
      await db.write(async (tx) => {
        await lockPeopleAt(tx, id);
        await lockProvider(tx, id);
        await disconnectEveryone(tx, id);
        await rows.deleteProvider(tx, id);
        await record(tx, "sign-in-provider-removed", actor, id, {}, clock.now());
      });
    },
  };
}

/** Which fields belong to which kind. Throws `bad-request`. */
function checkFields({
  kind,
  issuer,
  client_id: clientId,
  directory,
}: Pick<rows.ProviderRow, "kind" | "issuer" | "client_id"> & { directory?: Directory | undefined }): void {
  if ((kind === "ldap") !== isDirectoryUrl(issuer))
    throw badRequest(
      "body.issuer",
      "must begin with ldaps:// or ldap:// for a directory, else with https://",
    );
  if ((kind === "ldap") !== (directory !== undefined))
    throw badRequest("body.directory", "must be present for a directory, and absent for other kinds");
  if (kind !== "ldap" && clientId === "") throw badRequest("body.client_id", "must not be empty");
  if (directory !== undefined) checkEncryption(issuer, directory);
}

/** Where a provider sends the browser back. Each has its own path, so that a response of one is never taken for another's. */
export function redirectUriOf(webUrl: string, providerId: string): string {
  return `${webUrl}/sign-in/callback/${providerId}`;
}

export function domainsOf({ email_domains: domains }: Pick<rows.ProviderRow, "email_domains">): string[] {
  return JSON.parse(domains) as string[];
}

function toColumn(domains: readonly string[]): string {
  return JSON.stringify([...new Set(domains.map(emailKey))]);
}

/** Without the path of the discovery document, which people copy. */
function toIssuer(text: string): string {
  return text.replace(/\/\.well-known\/openid-configuration\/?$/, "");
}

/** The entry names the fields that changed, and what is not secret of them. */
async function record(
  tx: Tx,
  action: "sign-in-provider-added" | "sign-in-provider-changed" | "sign-in-provider-removed",
  actor: Actor,
  target: string,
  { client_secret: clientSecret, ...fields }: { client_secret?: string | null | undefined },
  nowMs: number,
): Promise<void> {
  const secret =
    clientSecret === undefined ? {} : { client_secret: clientSecret === null ? "removed" : "set" };
  const details = JSON.parse(JSON.stringify({ ...fields, ...secret })) as Record<string, string>;
  await recordAudit(tx, { action, actor, target, details }, nowMs);
}
