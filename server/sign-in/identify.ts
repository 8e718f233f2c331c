import type { Endpoint } from "#contract/endpoint.ts";
import { isId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { isOwnUser, type AppKey, type Visitor } from "../lib/route.ts";
import { lacksRequiredSecondFactor, type PolicyStore } from "#server/people/accounts/policy.ts";
import { ourIssuer, type AccessTokens } from "./access-tokens.ts";
import { apiKeyPrefix, type ApiKeys } from "#server/apps/api-keys.ts";
import { systemUserId } from "#server/apps/find-visitor-by-name.ts";
import { isName } from "#server/apps/protocol-names.ts";
import { findOrCreateWorkspace } from "#server/apps/find-or-create-workspace.ts";
import type { AnonymousTokens } from "#server/apps/anonymous-tokens.ts";
import type { JwtRules } from "#server/apps/jwt-rules.ts";
import { issuerOf, type ProviderTokens } from "#server/apps/provider-tokens.ts";
import type { PersonalKeys } from "./personal-keys/personal-keys.ts";
import * as users from "#server/people/users/rows.ts";
import type { Sessions } from "./sessions.ts";

/** What a request contains to identify its caller. */
export type Credential = {
  authorization: string | undefined;
  userIdHeader: string | undefined;
  workspaceIdHeader: string | undefined;
  sessionToken: string | undefined;
};

/** Finds the visitor behind each kind of credential. */
export function createIdentify(options: {
  db: Database;
  clock: Clock;
  policy: PolicyStore;
  anonymousTokens: AnonymousTokens;
  tokens: AccessTokens;
  sessions: Sessions;
  apiKeys: ApiKeys;
  personalKeys: PersonalKeys;
  rules: JwtRules;
  providerTokens: ProviderTokens;
}) {
  const {
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
  } = options;

  async function visitorOfSession(token: string | undefined): Promise<Visitor> {
    if (token === undefined) throw new AppError("not-signed-in");
    return await sessions.useCookie(token).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "invalid-refresh-token")
        throw new AppError("token-expired", { cause: error });
      throw error;
    });
  }

  /** Otherwise what a backend's user asks would count as asked by the person, such as for budgets. */
  async function requireNoAccount(userId: string): Promise<void> {
    // The account of a former guest keeps the guest's id.
    if (!isId("user", userId) && !isId("anonymous", userId)) return;
    if (await users.isAccount(db, userId)) throw new AppError("user-id-of-account");
  }

  async function visitorOfKey(key: string, credential: Credential): Promise<Visitor> {
    const row = await apiKeys.verify(key);
    const userId = credential.userIdHeader ?? systemUserId;
    if (!isName(userId)) throw new AppError("invalid-user-header");
    await requireNoAccount(userId);
    const name = credential.workspaceIdHeader;
    if (name === undefined || !isName(name)) throw new AppError("invalid-workspace-header");
    const workspaceId = await findOrCreateWorkspace(db, clock, row.app_id, name);
    return {
      userId,
      kind: "key",
      role: "member",
      appId: row.app_id,
      workspaceId,
      workspaceName: name,
      credentialId: row.id,
    };
  }

  async function visitorOfToken(token: string): Promise<Visitor> {
    const claims = await tokens.verify(token);
    if (isOwnUser(claims)) {
      // The user's role can have changed since the token was issued.
      const visitor = await sessions.findVisitor(claims.credentialId);
      if (visitor === undefined) throw new AppError("invalid-token");
      return visitor;
    }
    if (!(await isCredentialValid(claims))) throw new AppError("invalid-token");
    return { ...claims, role: "member" };
  }

  async function visitorOfProviderToken(token: string): Promise<Visitor> {
    const { rule, userId, workspaceName } = await providerTokens.verify(token);
    await requireNoAccount(userId);
    const { id: credentialId, appId: ruleApp } = rule;
    const workspaceId = await findOrCreateWorkspace(db, clock, ruleApp, workspaceName);
    return {
      userId,
      kind: "provider",
      role: "member",
      appId: ruleApp,
      workspaceId,
      workspaceName,
      credentialId,
    };
  }

  async function isCredentialValid({
    kind,
    credentialId,
  }: Pick<Visitor, "kind" | "credentialId">): Promise<boolean> {
    if (kind === "provider") return await rules.exists(credentialId);
    if (kind === "external" || kind === "key") return await apiKeys.isValid(credentialId);
    if (isId("personalKey", credentialId)) return await personalKeys.isValid(credentialId);
    const visitor = await sessions.findVisitor(credentialId);
    if (visitor === undefined || !(await isAllowed(visitor))) return false;
    return !lacksRequiredSecondFactor(visitor, await policy.get());
  }

  /** Whether people may be here without an account: in the web app, or with a token of this app. */
  async function isAllowed({ kind, appId, isAppVisitor }: Visitor): Promise<boolean> {
    if (kind !== "anonymous") return true;
    return isAppVisitor === true ? await anonymousTokens.areOn(appId) : (await policy.get()).guests;
  }

  /** When anonymous use is switched off, existing anonymous sessions end too. Their content stays. */
  async function requireAllowed(visitor: Visitor): Promise<Visitor> {
    if (!(await isAllowed(visitor))) throw new AppError("anonymous-off");
    return visitor;
  }

  async function identifyAny(credential: Credential): Promise<{ visitor: Visitor; token?: string }> {
    const { authorization, sessionToken } = credential;
    if (authorization === undefined)
      return { visitor: { ...(await visitorOfSession(sessionToken)), isInWebApp: true } };
    const bearer = bearerOf(authorization);
    if (bearer === undefined) throw new AppError("unsupported-scheme");
    if (bearer.startsWith(apiKeyPrefix)) return { visitor: await visitorOfKey(bearer, credential) };
    if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(bearer)) throw new AppError("unsupported-credential");
    const issuer = issuerOf(bearer);
    if (issuer === ourIssuer || issuer === undefined) return { visitor: await visitorOfToken(bearer) };
    const visitor = await visitorOfProviderToken(bearer);
    return { visitor, token: await tokens.sign(visitor) };
  }

  return {
    isCredentialValid,
    requireAllowed,

    /**
     * The visitor that a request's credential identifies. For a sign-in provider's token, `token` is an access token of
     * ours to use from then on. Throws the 401s and 403s of the catalogue, and `sign-in-unavailable`.
     * People whose account an administrator has deleted, and those who still have to set up a second factor, can send only
     * requests to endpoints that say so.
     */
    async identify(
      credential: Credential,
      {
        worksWithoutSecondFactor,
        worksWhileLeaving,
      }: Pick<Endpoint, "worksWithoutSecondFactor" | "worksWhileLeaving"> = {},
    ): Promise<{ visitor: Visitor; token?: string }> {
      const identified = await identifyAny(credential);
      await requireAllowed(identified.visitor);
      if (identified.visitor.isLeaving === true) {
        if (worksWhileLeaving !== true) throw new AppError("account-deleted");
        return identified;
      }
      if (
        worksWithoutSecondFactor !== true &&
        lacksRequiredSecondFactor(identified.visitor, await policy.get())
      )
        throw new AppError("second-factor-required");
      return identified;
    },

    /** The person behind the personal key of a request. Throws the 401s of the catalogue. */
    async identifyPersonalKey({ authorization }: Credential): Promise<Visitor> {
      if (authorization === undefined) throw new AppError("not-signed-in");
      return await personalKeys.identify(bearerOf(authorization) ?? "");
    },

    /** The API key of a request, without its workspace; `undefined` if there is none. Throws `invalid-api-key`. */
    async identifyKey({ authorization = "" }: Credential): Promise<AppKey | undefined> {
      const bearer = bearerOf(authorization);
      if (bearer?.startsWith(apiKeyPrefix) !== true) return undefined;
      const row = await apiKeys.verify(bearer);
      return { appId: row.app_id, credentialId: row.id };
    },
  };
}

function bearerOf(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}
