import { domainOf, emailKey, isEmail } from "#contract/accounts/email.ts";
import { limits } from "#contract/limits.ts";
import { cleanText, cutText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import type { Row } from "#storage/database/tables.ts";
import { recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { asEmailTaken, type RequestSource } from "#server/people/accounts/account-session.ts";
import type { EnterAccount } from "#server/people/accounts/enter-account.ts";
import type { Join } from "#server/people/accounts/join.ts";
import { changeUser, findAccount, lockUsers } from "#server/people/accounts/rows.ts";
import type { ClaimPrepared } from "#server/people/prepared/claim-prepared.ts";
import { findPrepared } from "#server/people/prepared/rows.ts";
import { namesSamePeople } from "../directories/stored-directory.ts";
import type { ClaimedGroups } from "#server/people/groups/claimed-groups.ts";
import type { OpenSession, Sessions } from "../sessions.ts";
import * as identities from "./identity-rows.ts";
import { domainsOf } from "./manage-sign-in-providers.ts";
import type { Profile } from "./profile.ts";
import { findProvider, lockProvider, type ProviderRow } from "./rows.ts";

export type ProviderSignInResult =
  | { status: "signed-in"; session: OpenSession }
  | { status: "connected" }
  | { status: "waiting" };

/** Who asks, and how they have proved who they are. `code`: of the account's second factor. */
export type SignInBy = {
  from: RequestSource;
  method: "provider" | "directory";
  code?: string | undefined;
};

/**
 * Signs in the person that a provider has just named; creates an account or connects one where that is allowed. With
 * `userId`, adds the identity to that account. Throws what `accounts.finishProvider` lists.
 */
export type CompleteSignIn = (
  provider: ProviderRow,
  begun: { userId: string | null; invitationHash: string | null },
  profile: Profile,
  by: SignInBy,
) => Promise<ProviderSignInResult>;

/** An account and the profile that a provider sent for it. */
type AccountProfile = {
  provider: ProviderRow;
  userId: string;
  profile: Profile;
  from: RequestSource;
  nowMs: number;
};

export function createCompleteSignIn(options: {
  db: Database;
  clock: Clock;
  sessions: Sessions;
  enter: EnterAccount;
  join: Join;
  claimedGroups: ClaimedGroups;
  claimPrepared: ClaimPrepared;
}): CompleteSignIn {
  const { db, clock, sessions, enter, join, claimedGroups, claimPrepared } = options;

  async function store(tx: Tx, connected: AccountProfile): Promise<void> {
    const { provider, userId, profile, nowMs } = connected;
    const { subject, email } = profile;
    requireSamePeople(provider, await lockProvider(tx, provider.id));
    await identities.insertIdentity(tx, {
      provider_id: provider.id,
      subject,
      user_id: userId,
      email: email ?? null,
      created_at: nowMs,
      last_used_at: nowMs,
    });
    await followGroups(tx, connected);
  }

  /** The groups of the provider get or lose the person, if it has a claim for groups and they are known. */
  async function followGroups(
    tx: Tx,
    { provider, userId, profile: { groups: values }, from: { address }, nowMs }: AccountProfile,
  ): Promise<void> {
    const { id: providerId, groups_claim: claim } = provider;
    if (claim !== null && values !== undefined)
      await claimedGroups.follow(tx, { userId, providerId, values }, { id: userId, address }, nowMs);
  }

  /** The account gets what was imported for the address that the provider has verified, if it may say so. */
  async function claim(tx: Tx, { provider, userId, profile, nowMs }: AccountProfile): Promise<void> {
    const address = claimedAddress(provider, profile);
    if (address !== undefined) await claimPrepared(tx, userId, address, nowMs);
  }

  async function connect(tx: Tx, connected: AccountProfile): Promise<void> {
    await store(tx, connected);
    await claim(tx, connected);
    const actor = { id: connected.userId, address: connected.from.address };
    const details = { provider: connected.provider.id };
    await recordAudit(tx, { action: "identity-connected", actor, details }, connected.nowMs);
  }

  /** Signs in to the account that has the identity. */
  async function enterWith(
    provider: ProviderRow,
    identity: Row<"identities">,
    profile: Profile,
    by: SignInBy,
  ): Promise<ProviderSignInResult> {
    const session = await enter(identity.user_id, by.from, {
      method: by.method,
      code: by.code,
      details: { provider: provider.id },
      confirm: async (tx, account, nowMs) => {
        // It can have been removed since.
        const now = await identities.findIdentity(tx.q, provider.id, { subject: profile.subject });
        if (now?.user_id !== account.id) throw new AppError("sign-in-failed");
        // Read after the identity: the one that was read belongs to this provider as it is.
        requireSamePeople(provider, await findProvider(tx.q, provider.id));
        await identities.touchIdentity(tx, now, profile.email ?? null, nowMs);
        const entered = { provider, userId: account.id, profile, from: by.from, nowMs };
        await followGroups(tx, entered);
        await claim(tx, entered);
      },
    });
    return { status: "signed-in", session };
  }

  /**
   * Connects the identity to the account with the same address, if both sides have verified it. Never to that of an owner:
   * administrators add providers, and could otherwise become owners.
   */
  async function connectByEmail(
    provider: ProviderRow,
    userId: string,
    profile: Profile & { email: string },
    by: SignInBy,
  ): Promise<ProviderSignInResult> {
    const session = await enter(userId, by.from, {
      method: by.method,
      code: by.code,
      details: { provider: provider.id },
      confirm: async (tx, account, nowMs) => {
        const known = await identities.findIdentity(tx.q, provider.id, { userId: account.id });
        // Another tab has just created the account.
        if (known?.subject === profile.subject) return;
        // An address that was not verified may belong to another person, and one with another subject belongs to
        // another person now. Owners connect by hand, so that no administrator's provider can sign in as them.
        const isSame =
          account.is_owner === 0 &&
          account.email_verified_at !== null &&
          account.email_key === emailKey(profile.email) &&
          known === undefined;
        if (!isSame) throw new AppError("account-exists");
        await connect(tx, { provider, userId: account.id, profile, from: by.from, nowMs });
      },
    });
    return { status: "signed-in", session };
  }

  async function joinWith(
    provider: ProviderRow,
    profile: Profile & { email: string },
    invitationHash: string | null,
    by: SignInBy,
  ): Promise<ProviderSignInResult> {
    const address = claimedAddress(provider, profile);
    const prepared =
      address === undefined ? undefined : await findPrepared(db.read, { emailKey: emailKey(address) });
    const request = {
      name: nameOf(profile),
      email: profile.email,
      isEmailVerified: true,
      ...(prepared === undefined ? {} : { preparedId: prepared.user_id }),
      isAdmitted: provider.admits_everyone === 1,
      ...(invitationHash === null ? {} : { invitationHash }),
    };
    const entitlement = await join.entitlementOf(request, by.from);
    const { session } = await join.create(request, entitlement, by.from, {
      method: by.method,
      details: { provider: provider.id },
      store: async (tx, userId, nowMs) =>
        await store(tx, { provider, userId, profile, from: by.from, nowMs }),
    });
    return session === undefined ? { status: "waiting" } : { status: "signed-in", session };
  }

  async function signInWith(
    provider: ProviderRow,
    profile: Profile,
    invitationHash: string | null,
    by: SignInBy,
  ): Promise<ProviderSignInResult> {
    const { subject } = profile;
    const identity = await identities.findIdentity(db.read, provider.id, { subject });
    if (identity !== undefined) return await enterWith(provider, identity, profile, by);
    const { email } = profile;
    if (email === undefined || !profile.isEmailVerified) throw new AppError("email-not-verified");
    const account = await findAccount(db.read, { emailKey: emailKey(email) });
    if (account !== undefined && account.joined_at !== null)
      return await connectByEmail(provider, account.id, { ...profile, email }, by);
    return await joinWith(provider, { ...profile, email }, invitationHash, by);
  }

  /** Adds the identity to the account that began this, and that is still signed in. */
  async function connectTo(
    provider: ProviderRow,
    userId: string,
    profile: Profile,
    by: SignInBy,
  ): Promise<ProviderSignInResult> {
    const visitor = await sessions.findByToken("cookie", by.from.sessionToken);
    if (visitor?.userId !== userId) throw new AppError("sign-in-expired");
    await db
      .write(async (tx) => {
        const account = (await lockUsers(tx, [userId])).get(userId);
        if (account === undefined) throw new AppError("sign-in-expired");
        const nowMs = clock.now();
        const taken = await identities.findIdentity(tx.q, provider.id, { subject: profile.subject });
        if (taken?.user_id === userId) return;
        const other = await identities.findIdentity(tx.q, provider.id, { userId });
        if (taken !== undefined || other !== undefined) throw new AppError("identity-taken");
        await connect(tx, { provider, userId, profile, from: by.from, nowMs });
        if (
          profile.isEmailVerified &&
          profile.email !== undefined &&
          emailKey(profile.email) === account.email_key
        )
          await changeUser(tx, userId, { email_verified_at: nowMs });
      })
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? new AppError("identity-taken", { cause: error }) : error;
      });
    return { status: "connected" };
  }

  return async (provider, { userId, invitationHash }, profile, by) => {
    requireDomain(provider, profile);
    if (userId !== null) return await connectTo(provider, userId, profile, by);
    const signIn = async () => await signInWith(provider, profile, invitationHash, by);
    return await signIn()
      .catch(async (error: unknown) => {
        // Another tab can have created the account meanwhile.
        if (isUniqueViolation(error)) return await signIn();
        throw error;
      })
      .catch(asEmailTaken);
  };
}

/** The address of which the provider may decide who gets what was imported for it. */
function claimedAddress(provider: ProviderRow, { email, isEmailVerified }: Profile): string | undefined {
  return provider.claims_imports === 1 && isEmailVerified ? email : undefined;
}

/** The profile in a form that can be stored. */
export function checkedProfile(
  provider: ProviderRow,
  { subject, name, email, isEmailVerified, groups }: Profile,
): Profile {
  // The standard's maximum.
  if (subject === "" || subject.length > 255 || !subject.isWellFormed() || /\p{Cc}/u.test(subject))
    throw new Error("The provider's subject is empty, too long, or not text.");
  return {
    subject,
    name,
    email:
      email !== undefined && isEmail(email) && email.length <= limits.emailCharacters ? email : undefined,
    isEmailVerified: isEmailVerified || provider.trusts_email === 1,
    groups,
  };
}

/** Throws `sign-in-failed` if the provider names other people since, or was removed. */
function requireSamePeople(provider: ProviderRow, now: ProviderRow | undefined): void {
  if (now === undefined || !namesSamePeople(provider, now)) throw new AppError("sign-in-failed");
}

/** Throws `email-domain-not-allowed`, also for people who have signed in before. */
function requireDomain(provider: ProviderRow, { email, isEmailVerified }: Profile): void {
  const domains = domainsOf(provider);
  if (domains.length === 0) return;
  if (email === undefined || !isEmailVerified) throw new AppError("email-not-verified");
  if (!domains.includes(domainOf(email))) throw new AppError("email-domain-not-allowed");
}

function nameOf({ name, email }: Profile & { email: string }): string {
  const given = cleanText(name ?? "").trim();
  return cutText(given === "" ? email.split("@")[0]! : given, limits.accountNameCharacters);
}
