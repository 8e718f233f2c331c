import type { BodyOf } from "#contract/api.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { RequestSource } from "#server/people/accounts/account-session.ts";
import type { RequireRecentSignIn } from "../recent-sign-in.ts";
import type { Attempts } from "../attempts/attempts.ts";
import { hasSomebodySignedInFrom } from "../attempts/rows.ts";
import type { SecretVault } from "../secret-vault.ts";
import { hashOf } from "../secrets.ts";
import type { Sessions } from "../sessions.ts";
import {
  checkedProfile,
  type CompleteSignIn,
  type ProviderSignInResult,
} from "../providers/complete-sign-in.ts";
import type { Profile } from "../providers/profile.ts";
import { findProvider, type ProviderRow } from "../providers/rows.ts";
import { signInPerson, type DirectoryPerson } from "./find-person.ts";
import { storedDirectory } from "./stored-directory.ts";
import { DirectoryError } from "./problems.ts";

/** A refusal takes at least this long, so that it does not tell an unknown user from a wrong password. */
const refusalMs = 1_000;

/**
 * Signs in with the user name and password of an LDAP directory. Throws `directory-refused` if it refuses them,
 * `too-many-attempts`, `sign-in-unavailable` if it cannot be asked, and what `accounts.directorySignIn` lists.
 */
export type DirectorySignIn = (
  providerId: string,
  given: BodyOf<"accounts.directorySignIn">,
  from: RequestSource,
) => Promise<ProviderSignInResult>;

export function createDirectorySignIn(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  vault: SecretVault;
  sessions: Sessions;
  attempts: Attempts;
  complete: CompleteSignIn;
  requireRecent: RequireRecentSignIn;
}): DirectorySignIn {
  const { db, clock, logger, vault, sessions, attempts, complete, requireRecent } = options;

  /** The person; `undefined` if the directory refuses them. */
  async function ask(
    provider: ProviderRow,
    credential: { username: string; password: string },
  ): Promise<DirectoryPerson | undefined> {
    const { location, search } = storedDirectory(vault, provider);
    try {
      return await signInPerson(location, search, credential);
    } catch (error) {
      logger.warn({ provider: provider.id, err: error }, "a directory could not sign somebody in");
      // An ambiguous user name is refused.
      if (error instanceof DirectoryError && error.problem === "several-found") return undefined;
      throw new AppError("sign-in-unavailable", { cause: error });
    }
  }

  async function verified(
    provider: ProviderRow,
    credential: { username: string; password: string },
    { address }: RequestSource,
  ): Promise<DirectoryPerson> {
    let person: DirectoryPerson | undefined;
    const earliest = clock.sleep(refusalMs);
    const subject = `${provider.id} ${usernameKey(credential.username)}`;
    const isKnown = async () => await hasSomebodySignedInFrom(db, provider.id, address);
    await attempts.try({ kind: "password", subject, address, isKnown }, async () => {
      person = await ask(provider, credential);
      return person !== undefined;
    });
    if (person !== undefined) return person;
    await earliest;
    throw new AppError("directory-refused");
  }

  /** Throws `sign-in-failed` if the directory's facts about the person cannot be stored. The log has the reason. */
  function profileOf(provider: ProviderRow, { subject, name, email, groups }: DirectoryPerson): Profile {
    try {
      return checkedProfile(provider, { subject, name, email, isEmailVerified: false, groups });
    } catch (cause) {
      logger.warn({ provider: provider.id, err: cause }, "a sign-in with a directory failed");
      throw new AppError("sign-in-failed", { cause });
    }
  }

  /** The account that the identity is added to. */
  async function connecting(from: RequestSource): Promise<string> {
    const visitor = await sessions.findByToken("cookie", from.sessionToken);
    if (visitor === undefined || visitor.role === "guest") throw new AppError("not-signed-in");
    await requireRecent(visitor);
    return visitor.userId;
  }

  return async (providerId, { username, password, code, invitation, connect }, from) => {
    const provider = await findProvider(db.read, providerId);
    if (provider?.kind !== "ldap") throw new AppError("sign-in-provider-not-found");
    const userId = connect === true ? await connecting(from) : null;
    const person = await verified(provider, { username: username.trim(), password }, from);
    const profile = profileOf(provider, person);
    const invitationHash = invitation === undefined ? null : hashOf(invitation);
    return await complete(provider, { userId, invitationHash }, profile, { from, method: "directory", code });
  };
}

/**
 * The same for all spellings that a directory can take for one name. Directories ignore case, width, the number of spaces
 * and characters that cannot be seen, and Active Directory also accents.
 */
function usernameKey(username: string): string {
  return username
    .normalize("NFKD")
    .replaceAll(/[\p{Cf}\p{Mn}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim();
}
