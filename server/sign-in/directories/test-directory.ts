import { isDeepStrictEqual } from "node:util";
import type { BodyOf, ResponseOf } from "#contract/api.ts";
import type { Role } from "#contract/accounts/permissions.ts";
import type { Database } from "#storage/database/database.ts";
import { checkMayConnect } from "#server/fetch/hosts.ts";
import type { SecretVault } from "../secret-vault.ts";
import { clientSecretOf } from "../providers/client-secrets.ts";
import { findProvider } from "../providers/rows.ts";
import { checkDirectory, findPerson } from "./find-person.ts";
import { checkEncryption, directoryOf, locationOf } from "./stored-directory.ts";
import { asDirectoryError } from "./problems.ts";

/** Says what is wrong with a directory before it is stored, and who somebody is there. Throws `provider-private` and `bad-request`. */
export type TestDirectory = (
  role: Role,
  body: BodyOf<"directories.test">,
) => Promise<ResponseOf<"directories.test">>;

export function createTestDirectory({ db, vault }: { db: Database; vault: SecretVault }): TestDirectory {
  /**
   * The stored password is never sent to another server. Only the owner may search with it in another way than the stored
   * one: it can read more about people than administrators may know.
   */
  async function storedPassword(
    role: Role,
    { sign_in_provider_id: id, url, directory, groups_claim = null }: BodyOf<"directories.test">,
  ): Promise<string | undefined> {
    const row = id === undefined ? undefined : await findProvider(db.read, id);
    if (row?.kind !== "ldap" || row.issuer !== url) return undefined;
    const isStoredSearch =
      isDeepStrictEqual(directoryOf(row), { ...directory }) && row.groups_claim === groups_claim;
    return role === "owner" || isStoredSearch ? clientSecretOf(vault, row) : undefined;
  }

  return async (role, body) => {
    const { url, directory, groups_claim, username } = body;
    checkEncryption(url, directory);
    await checkMayConnect(role, url);
    const bindPassword = body.bind_password ?? (await storedPassword(role, body));
    const location = locationOf(url, directory, { bindPassword, isPublicOnly: role !== "owner" });
    const search = { directory, groupsAttribute: groups_claim ?? undefined };
    try {
      if (username === undefined) {
        await checkDirectory(location, search);
        return { problem: null, server_text: null, person: null };
      }
      const { dn, name = null, email = null, groups } = await findPerson(location, search, username.trim());
      return { problem: null, server_text: null, person: { dn, name, email, groups } };
    } catch (error) {
      const { problem, serverText } = asDirectoryError(error, "search");
      return { problem, server_text: serverText, person: null };
    }
  };
}
