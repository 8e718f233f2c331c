import { randomCharacters } from "#contract/ids.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { SteadyClock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { Visitor } from "../lib/route.ts";
import { presentMe } from "#server/people/accounts/me.ts";
import { createPolicyStore } from "#server/people/accounts/policy.ts";
import { createAnonymousTokens } from "#server/apps/anonymous-tokens.ts";
import { createAccessTokens } from "./access-tokens.ts";
import { createApiKeys } from "#server/apps/api-keys.ts";
import { createCredentialWatch } from "./credential-watch.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { createIdentify } from "./identify.ts";
import { createOwnSessions } from "./own-sessions.ts";
import { createKnownBrowsers } from "./attempts/known-browsers.ts";
import { createPersonalKeys } from "./personal-keys/personal-keys.ts";
import { createJwtRules } from "#server/apps/jwt-rules.ts";
import { createProviderKeys } from "#server/apps/provider-keys.ts";
import { createProviderTokens } from "#server/apps/provider-tokens.ts";
import * as users from "#server/people/users/rows.ts";
import { deriveSecret, ownerSecretOf } from "./secrets.ts";
import { createBudgets } from "#server/people/budgets/budgets.ts";
import { createFollowAccess } from "#server/people/rights/follow-access.ts";
import { createRights } from "#server/people/rights/rights.ts";
import { createSessions } from "./sessions.ts";
import { createSignIn } from "./sign-in.ts";

/** Identifies callers: anonymous visitors, the owner, and people that an API key or a sign-in provider names. */
export type Auth = Awaited<ReturnType<typeof createAuth>>;

/** The user id that replaces an erased user's, as the protocol defines it. */
export const erasedUser = "usr_deleted";

export async function createAuth(options: {
  db: Database;
  clock: SteadyClock;
  logger: Logger;
  secret: string;
  apiKey: string | undefined;
  anonymous: boolean;
  /** How often the credential of an open stream is checked without a notification. */
  recheckMs: number;
}) {
  const { db, clock, logger, secret, anonymous, recheckMs } = options;
  await ensureFirstApp(db, clock.now());
  const tokens = createAccessTokens({ secret: deriveSecret(secret, "access tokens"), clock });
  const policy = createPolicyStore({ db, anonymous });
  const anonymousTokens = createAnonymousTokens({ db, policy });
  const browsers = createKnownBrowsers(secret);
  const sessions = createSessions({ db, clock, appId: owner.appId, browsers });
  const apiKeys = createApiKeys({ db, clock });
  await apiKeys.syncSetting(options.apiKey);
  const personalKeys = createPersonalKeys({ db, clock });
  const rules = createJwtRules({ db, clock });
  const keys = createProviderKeys({ clock, logger });
  const providerTokens = createProviderTokens({ rules, keys, clock });
  const { identify, identifyKey, identifyPersonalKey, isCredentialValid, requireAllowed } = createIdentify({
    db,
    clock,
    policy,
    anonymousTokens,
    tokens,
    sessions,
    apiKeys,
    personalKeys,
    rules,
    providerTokens,
  });
  const rights = createRights({ db });
  const budgets = createBudgets({ db, clock });
  const ownerSecret = ownerSecretOf(secret);
  return {
    ...createSignIn({ db, clock, sessions, tokens, ownerSecret, policy, anonymousTokens, requireAllowed }),
    sessions,
    browsers,
    policy,
    anonymousTokens,
    identify,
    identifyKey,
    identifyPersonalKey,
    personalKeys,
    ownSessions: createOwnSessions({ db, clock }),
    rights,
    followAccess: createFollowAccess({ db, rights }),
    budgets,
    me: async (visitor: Visitor) => await presentMe(db, { policy, rights }, visitor),
    /** Watches the session or key of a visitor. The expiry of an access token does not matter. */
    watchCredential: createCredentialWatch({ db, isValid: isCredentialValid, recheckMs }),
    /** The secret of the owner's link. */
    ownerSecret,
    /** In the transaction of an erasure: the workspaces named after this user, which no one else uses. */
    workspacesOf: users.findWorkspacesNamed,
    erase,
    eraseAccount,
  };
}

/**
 * In the transaction of an erasure: deletes the user's account in this app and its sessions, and makes `workspaces`
 * anonymous. Throws `not-allowed` for the owner and for people with an account, which a backend cannot delete.
 */
async function erase(
  tx: Tx,
  { appId, userId }: { appId: string; userId: string },
  workspaces: string[],
): Promise<void> {
  const user = await users.findUser(tx, appId, userId);
  if (user?.kind === "admin" || (user !== undefined && user.joined_at !== null))
    throw new AppError("not-allowed");
  if (user !== undefined) await users.deleteUser(tx, userId);
  // The rows of the workspaces stay: for some minutes, tokens that an API key minted can still refer to them.
  for (const id of workspaces) await users.renameWorkspace(tx, id, `${erasedUser}_${randomCharacters(24)}`);
}

/** In the transaction that deletes an account, after its content: deletes the user and makes their workspace anonymous. */
async function eraseAccount(tx: Tx, userId: string, workspaceId: string): Promise<void> {
  await users.deleteUser(tx, userId);
  await users.renameWorkspace(tx, workspaceId, `${erasedUser}_${randomCharacters(24)}`);
}
