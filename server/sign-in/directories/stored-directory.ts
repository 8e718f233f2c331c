import type { Directory } from "#contract/endpoints/directories.ts";
import { badRequest } from "#server/lib/errors.ts";
import type { SecretVault } from "../secret-vault.ts";
import { clientSecretOf } from "../providers/client-secrets.ts";
import type { ProviderRow } from "../providers/rows.ts";
import type { DirectoryLocation } from "./connection.ts";
import type { PersonSearch } from "./find-person.ts";

/** Where a directory is, and how people are found there. */
export function locationOf(
  url: string,
  directory: Directory,
  more: { bindPassword: string | undefined; isPublicOnly: boolean },
): DirectoryLocation {
  return { url, startTls: directory.start_tls, bindDn: directory.bind_dn ?? undefined, ...more };
}

/** Throws `bad-request` if passwords would travel unencrypted to another machine. */
export function checkEncryption(url: string, { start_tls: startTls }: Pick<Directory, "start_tls">): void {
  const { protocol, hostname } = new URL(url);
  if (startTls || protocol === "ldaps:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname)) return;
  throw badRequest(
    "body.directory.start_tls",
    "must be true, because passwords would travel unencrypted; without it only ldaps://, or ldap:// on this machine",
  );
}

/** Those of a stored directory. */
export function storedDirectory(
  vault: SecretVault,
  row: ProviderRow,
): { location: DirectoryLocation; search: PersonSearch } {
  const directory = directoryOf(row)!;
  const bindPassword = clientSecretOf(vault, row);
  return {
    location: locationOf(row.issuer, directory, { bindPassword, isPublicOnly: row.public_only === 1 }),
    search: { directory, groupsAttribute: row.groups_claim ?? undefined },
  };
}

/** Null for a provider that is no directory. */
export function directoryOf({ directory }: Pick<ProviderRow, "directory">): Directory | null {
  return directory === null ? null : (JSON.parse(directory) as Directory);
}

/**
 * Whether a subject still means the same person after the change. Another base DN, filter or id attribute could give one
 * person's subject to another.
 */
export function namesSamePeople(one: Names, other: Names): boolean {
  return JSON.stringify(namesOf(one)) === JSON.stringify(namesOf(other));
}

type Names = Pick<ProviderRow, "issuer" | "directory">;

function namesOf(row: Names): unknown[] {
  const directory = directoryOf(row);
  return [row.issuer, directory?.base_dn, directory?.user_filter, directory?.id_attribute];
}
