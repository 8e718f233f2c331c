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
import { ensureFirstRows, owner, type Owner } from "./first-rows.ts";
import { createJwtRules } from "./projects/jwt-rules.ts";
import { isName } from "./names.ts";
import { createProviderKeys } from "./projects/provider-keys.ts";
import { createProviderTokens, issuerOf } from "./projects/provider-tokens.ts";
import { externalWorkspace } from "./projects/external-workspace.ts";
import * as rows from "./rows.ts";
import { deriveSecret, ownerSecretOf, sameSecret } from "./secrets.ts";
import { createSessions, type OpenSession } from "./sessions.ts";
import { createWatch, type Watch } from "./credential-watch.ts";

/** Who people are: anonymous visitors, the owner, and those whom an API key or another's sign-in names. */
export type Auth = {
  signUpAnonymous(from: { key: string; device: string | undefined }): Promise<Tokens>;
  refresh(refreshToken: string): Promise<Tokens>;
  /** A token that acts as the visitor an API key named. */
  mint(visitor: Visitor): Promise<string>;
  /**
   * The web app's own session: the one of `token`, else a new anonymous one; with the owner's secret, the owner's.
   * Throws `anonymous-off` and `invalid-owner-link`.
   */
  openSession(from: {
    token: string | undefined;
    ownerSecret: string | undefined;
    key: string;
    device: string | undefined;
  }): Promise<OpenSession>;
  closeSession(token: string): Promise<void>;
  /**
   * Whom a request's credential stands for; with a token of ours to go on with, in exchange for a provider's. Throws
   * the catalogue's 401s and 403s, and `sign-in-unavailable`.
   */
  identify(credential: Credential): Promise<{ visitor: Visitor; token?: string }>;
  /**
   * The API key alone, whatever workspace it names or does not; `undefined` for whoever comes without one. Throws
   * `invalid-api-key`.
   */
  identifyKey(credential: Credential): Promise<ProjectKey | undefined>;
  /** Whose refresh token it is, changing nothing. Throws `invalid-refresh-token`. */
  behind(refreshToken: string): Promise<Visitor>;
  /** In the transaction of an erasure: the workspaces that bear this name, in either realm, and are this user's alone. */
  workspacesOf(tx: Tx, projectId: string, userId: string): Promise<string[]>;
  /**
   * In the transaction of an erasure: ends their sessions and forgets who they were, where they have an account in this
   * project, and takes their name off `workspaces`. Throws `not-allowed` for an administrator.
   */
  forget(tx: Tx, who: { projectId: string; userId: string }, workspaces: string[]): Promise<void>;
  /** Tells when what the visitor came with no longer stands: the session or key behind it, not the token's five minutes. */
  watch: Watch;
  /** The secret of the owner's link. */
  ownerSecret: string;
};

export type Credential = {
  authorization: string | undefined;
  userIdHeader: string | undefined;
  workspaceIdHeader: string | undefined;
  sessionToken: string | undefined;
};

/** What stands in the place of a user who was erased: the protocol's own word. */
export const erasedUser = "usr_deleted";
/** How the protocol names an API key's user when it names none. */
const systemUser = "__SYSTEM__";

export async function createAuth(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  secret: string;
  apiKey: string | undefined;
  anonymous: boolean;
  /** How often a stream's credential is looked at where nothing rings. */
  recheckMs: number;
}): Promise<Auth> {
  const { db, clock, secret } = options;
  const ownerSecret = ownerSecretOf(secret);
  await ensureFirstRows(db, clock.now());
  const projectId = owner.projectId;
  const tokens = createAccessTokens({ secret: deriveSecret(secret, "access tokens"), clock });
  const sessions = createSessions({ db, clock, projectId });
  const apiKeys = createApiKeys({ db, clock });
  await apiKeys.keepSetting(options.apiKey);
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

  async function keyVisitor(key: string, credential: Credential): Promise<Visitor> {
    const row = await apiKeys.verify(key);
    const userId = credential.userIdHeader ?? systemUser;
    if (!isName(userId)) throw new AppError("invalid-user-header");
    const name = credential.workspaceIdHeader;
    if (name === undefined || !isName(name)) throw new AppError("invalid-workspace-header");
    const workspaceId = await externalWorkspace(db, clock, row.project_id, name);
    return {
      userId,
      kind: "key",
      projectId: row.project_id,
      workspaceId,
      workspaceName: name,
      credentialId: row.id,
    };
  }

  async function tokenVisitor(token: string): Promise<Visitor> {
    const visitor = admitted(await tokens.verify(token));
    if (!(await stands(visitor))) throw new AppError("invalid-token");
    return visitor;
  }

  async function providerVisitor(token: string): Promise<Visitor> {
    const { rule, userId, workspaceName } = await providerTokens.verify(token);
    const { id: credentialId, projectId: ruleProject } = rule;
    const workspaceId = await externalWorkspace(db, clock, ruleProject, workspaceName);
    return { userId, kind: "provider", projectId: ruleProject, workspaceId, workspaceName, credentialId };
  }

  async function stands({ kind, credentialId }: Visitor): Promise<boolean> {
    if (kind === "anonymous" && !options.anonymous) return false;
    if (kind === "provider") return await rules.stands(credentialId);
    if (kind === "external" || kind === "key") return await apiKeys.stands(credentialId);
    return await rows.sessionStands(db, credentialId);
  }

  /** Once use without an account is off, it ends for those who began before: what they have stays, unreached. */
  function admitted(visitor: Visitor): Visitor {
    if (visitor.kind === "anonymous" && !options.anonymous) throw new AppError("anonymous-off");
    return visitor;
  }

  /** The session of `token`, extended. Throws `anonymous-off` before it is. */
  async function goOn(token: string): Promise<OpenSession> {
    if (!options.anonymous) admitted(await sessions.read(token));
    return await sessions.use(token);
  }

  async function identify(credential: Credential): Promise<{ visitor: Visitor; token?: string }> {
    const found = await standingBehind(credential);
    admitted(found.visitor);
    return found;
  }

  async function standingBehind(credential: Credential): Promise<{ visitor: Visitor; token?: string }> {
    const { authorization, sessionToken } = credential;
    if (authorization === undefined) {
      if (sessionToken === undefined) throw new AppError("not-signed-in");
      const visitor = await sessions.read(sessionToken).catch((error: unknown) => {
        if (error instanceof AppError && error.code === "invalid-refresh-token")
          throw new AppError("token-expired", { cause: error });
        throw error;
      });
      return { visitor };
    }
    const bearer = bearerOf(authorization);
    if (bearer === undefined) throw new AppError("unsupported-scheme");
    if (bearer.startsWith(apiKeyPrefix)) return { visitor: await keyVisitor(bearer, credential) };
    if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(bearer)) throw new AppError("unsupported-credential");
    const issuer = issuerOf(bearer);
    if (issuer === ourIssuer || issuer === undefined) return { visitor: await tokenVisitor(bearer) };
    const visitor = await providerVisitor(bearer);
    return { visitor, token: await tokens.sign(visitor) };
  }

  return {
    ownerSecret,
    watch: createWatch({ db, stands, recheckMs: options.recheckMs }),
    async signUpAnonymous(from) {
      return await asTokens(await signUp(from));
    },
    async refresh(refreshToken) {
      return await asTokens(await goOn(refreshToken));
    },
    async mint(visitor) {
      return await tokens.sign({ ...visitor, kind: "external" });
    },
    async openSession({ token, ownerSecret: given, ...from }) {
      if (given !== undefined) {
        await spend(signUps, from.key);
        if (!sameSecret(given, ownerSecret)) throw new AppError("invalid-owner-link");
        const who: Owner = owner;
        return await sessions.openFor(
          { id: who.userId, kind: "admin", workspaceId: who.workspaceId, workspaceName: who.userId },
          from.device,
        );
      }
      if (token !== undefined) {
        const session = await goOn(token).catch(unlessOver);
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
    async forget(tx, { projectId: project, userId }, workspaces) {
      const user = await rows.findUser(tx, project, userId);
      if (user?.kind === "admin") throw new AppError("not-allowed");
      if (user !== undefined) await rows.deleteUser(tx, userId);
      // They stay, nameless: tokens that an API key minted may name them for some minutes more.
      for (const id of workspaces)
        await rows.renameWorkspace(tx, id, `${erasedUser}_${randomCharacters(24)}`);
    },
    behind: async (refreshToken) => await sessions.read(refreshToken),
  };

  async function asTokens(session: OpenSession): Promise<Tokens> {
    return {
      access_token: await tokens.sign(session.visitor),
      refresh_token: { token: session.token, expires_at: new Date(session.expiresAt).toISOString() },
    };
  }
}

function bearerOf(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

function unlessOver(error: unknown): undefined {
  if (error instanceof AppError && error.code === "invalid-refresh-token") return undefined;
  throw error;
}
