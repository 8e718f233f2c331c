import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Tokens } from "#contract/endpoints/auth.ts";
import { randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { spend } from "../lib/rate-limit.ts";
import type { ProjectKey, Visitor } from "../lib/route.ts";
import { createAccessTokens, ourIssuer } from "./access-tokens.ts";
import { apiKeyPrefix, createApiKeys } from "./api-keys.ts";
import { ensureFirstRows, owner } from "./first-rows.ts";
import { createJwtRules } from "./projects/jwt-rules.ts";
import { isName } from "./names.ts";
import { createProviderKeys } from "./projects/provider-keys.ts";
import { createProviderTokens, issuerOf } from "./projects/provider-tokens.ts";
import { findOrCreateWorkspace } from "./projects/find-or-create-workspace.ts";
import * as rows from "./rows.ts";
import { deriveSecret, ownerSecretOf, isSameSecret } from "./secrets.ts";
import { createSessions, type OpenSession } from "./sessions.ts";
import { createCredentialWatch, type WatchCredential } from "./credential-watch.ts";

/** Identifies callers: anonymous visitors, the owner, and people that an API key or a sign-in provider names. */
export type Auth = {
  signUpAnonymous(from: { key: string; device: string | undefined }): Promise<Tokens>;
  refresh(refreshToken: string): Promise<Tokens>;
  /** An access token for the visitor that an API key named. */
  mint(visitor: Visitor): Promise<string>;
  /**
   * Opens the web app's session: the owner's with `ownerSecret`, else that of `token`, else a new anonymous one. Throws
   * `anonymous-off` and `invalid-owner-link`.
   */
  openSession(from: {
    token: string | undefined;
    ownerSecret: string | undefined;
    key: string;
    device: string | undefined;
  }): Promise<OpenSession>;
  closeSession(token: string): Promise<void>;
  /**
   * The visitor that a request's credential identifies. For a sign-in provider's token, `token` is an access token of
   * ours to use from then on. Throws the 401s and 403s of the catalogue, and `sign-in-unavailable`.
   */
  identify(credential: Credential): Promise<{ visitor: Visitor; token?: string }>;
  /** The API key of a request, without its workspace; `undefined` if there is none. Throws `invalid-api-key`. */
  identifyKey(credential: Credential): Promise<ProjectKey | undefined>;
  /** The visitor of a refresh token, without extending its session. Throws `invalid-refresh-token`. */
  visitorOfRefreshToken(refreshToken: string): Promise<Visitor>;
  /** In the transaction of an erasure: the workspaces named after this user, which no one else uses. */
  workspacesOf(tx: Tx, projectId: string, userId: string): Promise<string[]>;
  /**
   * In the transaction of an erasure: deletes the user's account in this project and its sessions, and makes
   * `workspaces` anonymous. Throws `not-allowed` for an administrator.
   */
  erase(tx: Tx, who: { projectId: string; userId: string }, workspaces: string[]): Promise<void>;
  /** Watches the session or key of a visitor. The expiry of an access token does not matter. */
  watchCredential: WatchCredential;
  /** The secret of the owner's link. */
  ownerSecret: string;
};

export type Credential = {
  authorization: string | undefined;
  userIdHeader: string | undefined;
  workspaceIdHeader: string | undefined;
  sessionToken: string | undefined;
};

/** The user id that replaces an erased user's, as the protocol defines it. */
export const erasedUser = "usr_deleted";
/** The protocol's user id for requests with an API key that name no user. */
const systemUser = "__SYSTEM__";

export async function createAuth(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  secret: string;
  apiKey: string | undefined;
  anonymous: boolean;
  /** How often the credential of an open stream is checked without a notification. */
  recheckMs: number;
}): Promise<Auth> {
  const { db, clock, secret } = options;
  const ownerSecret = ownerSecretOf(secret);
  await ensureFirstRows(db, clock.now());
  const projectId = owner.projectId;
  const tokens = createAccessTokens({ secret: deriveSecret(secret, "access tokens"), clock });
  const sessions = createSessions({ db, clock, projectId });
  const apiKeys = createApiKeys({ db, clock });
  await apiKeys.syncSetting(options.apiKey);
  const rules = createJwtRules({ db, clock });
  const providerTokens = createProviderTokens({
    rules,
    keys: createProviderKeys({ clock, logger: options.logger }),
    clock,
  });
  const signUps = new RateLimiterMemory({ points: limits.anonymousSignUpsPerMinute, duration: 60 });

  async function signUp(from: { key: string; device: string | undefined }): Promise<OpenSession> {
    if (!options.anonymous) throw new AppError("anonymous-off");
    await spend(signUps, from.key);
    return await sessions.openAnonymous(from.device);
  }

  async function visitorOfKey(key: string, credential: Credential): Promise<Visitor> {
    const row = await apiKeys.verify(key);
    const userId = credential.userIdHeader ?? systemUser;
    if (!isName(userId)) throw new AppError("invalid-user-header");
    const name = credential.workspaceIdHeader;
    if (name === undefined || !isName(name)) throw new AppError("invalid-workspace-header");
    const workspaceId = await findOrCreateWorkspace(db, clock, row.project_id, name);
    return {
      userId,
      kind: "key",
      projectId: row.project_id,
      workspaceId,
      workspaceName: name,
      credentialId: row.id,
    };
  }

  async function visitorOfToken(token: string): Promise<Visitor> {
    const visitor = requireAllowed(await tokens.verify(token));
    if (!(await isCredentialValid(visitor))) throw new AppError("invalid-token");
    return visitor;
  }

  async function visitorOfProviderToken(token: string): Promise<Visitor> {
    const { rule, userId, workspaceName } = await providerTokens.verify(token);
    const { id: credentialId, projectId: ruleProject } = rule;
    const workspaceId = await findOrCreateWorkspace(db, clock, ruleProject, workspaceName);
    return { userId, kind: "provider", projectId: ruleProject, workspaceId, workspaceName, credentialId };
  }

  async function isCredentialValid({ kind, credentialId }: Visitor): Promise<boolean> {
    if (kind === "anonymous" && !options.anonymous) return false;
    if (kind === "provider") return await rules.exists(credentialId);
    if (kind === "external" || kind === "key") return await apiKeys.isValid(credentialId);
    return await rows.isSessionValid(db, credentialId);
  }

  /** When anonymous use is switched off, existing anonymous sessions end too. Their content stays. */
  function requireAllowed(visitor: Visitor): Visitor {
    if (visitor.kind === "anonymous" && !options.anonymous) throw new AppError("anonymous-off");
    return visitor;
  }

  /** Extends the session of `token`. Throws `anonymous-off`, without extending it. */
  async function extendSession(token: string): Promise<OpenSession> {
    if (!options.anonymous) requireAllowed(await sessions.visitorOf(token));
    return await sessions.extend(token);
  }

  async function identify(credential: Credential): Promise<{ visitor: Visitor; token?: string }> {
    const identified = await identifyAny(credential);
    requireAllowed(identified.visitor);
    return identified;
  }

  async function identifyAny(credential: Credential): Promise<{ visitor: Visitor; token?: string }> {
    const { authorization, sessionToken } = credential;
    if (authorization === undefined) {
      if (sessionToken === undefined) throw new AppError("not-signed-in");
      const visitor = await sessions.visitorOf(sessionToken).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "invalid-refresh-token")
          throw new AppError("token-expired", { cause: error });
        throw error;
      });
      return { visitor };
    }
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
    ownerSecret,
    watchCredential: createCredentialWatch({ db, isValid: isCredentialValid, recheckMs: options.recheckMs }),
    async signUpAnonymous(from) {
      return await issueTokens(await signUp(from));
    },
    async refresh(refreshToken) {
      return await issueTokens(await extendSession(refreshToken));
    },
    async mint(visitor) {
      return await tokens.sign({ ...visitor, kind: "external" });
    },
    async openSession({ token, ownerSecret: givenSecret, ...from }) {
      if (givenSecret !== undefined) {
        await spend(signUps, from.key);
        if (!isSameSecret(givenSecret, ownerSecret)) throw new AppError("invalid-owner-link");
        return await sessions.openFor(
          { id: owner.userId, kind: "admin", workspaceId: owner.workspaceId, workspaceName: owner.userId },
          from.device,
        );
      }
      if (token !== undefined) {
        const session = await extendSession(token).catch(ignoreEnded);
        if (session !== undefined) return session;
      }
      return await signUp(from);
    },
    async closeSession(token) {
      await sessions.close(token);
    },
    identify,
    async identifyKey(credential) {
      const bearer = bearerOf(credential.authorization ?? "");
      if (bearer?.startsWith(apiKeyPrefix) !== true) return undefined;
      const row = await apiKeys.verify(bearer);
      return { projectId: row.project_id, credentialId: row.id };
    },
    workspacesOf: async (tx, project, userId) => await rows.findWorkspacesNamed(tx, project, userId),
    async erase(tx, { projectId: project, userId }, workspaces) {
      const user = await rows.findUser(tx, project, userId);
      if (user?.kind === "admin") throw new AppError("not-allowed");
      if (user !== undefined) await rows.deleteUser(tx, userId);
      // The workspaces stay: for some minutes, tokens that an API key minted can still refer to them.
      for (const id of workspaces)
        await rows.renameWorkspace(tx, id, `${erasedUser}_${randomCharacters(24)}`);
    },
    visitorOfRefreshToken: async (refreshToken) => await sessions.visitorOf(refreshToken),
  };

  async function issueTokens(session: OpenSession): Promise<Tokens> {
    return {
      access_token: await tokens.sign(session.visitor),
      refresh_token: { token: session.token, expires_at: new Date(session.expiresAt).toISOString() },
    };
  }
}

function bearerOf(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

function ignoreEnded(error: unknown): undefined {
  if (error instanceof AppError && error.code === "invalid-refresh-token") return undefined;
  throw error;
}
