import type { BodyOf, QueryOf } from "#contract/api.ts";
import type { AppAnonymousTokens } from "#contract/endpoints/anonymous-tokens.ts";
import type { App, AppKey, AppSummary, AppUser } from "#contract/endpoints/console.ts";
import { cleanText } from "#contract/text.ts";
import type { Database } from "#storage/database/database.ts";
import type { Actor } from "#server/audit/audit.ts";
import { createApiKeys, type ApiKey } from "#server/apps/api-keys.ts";
import type { Budgets } from "#server/people/budgets/budgets.ts";
import { putAnonymousAccess, type AnonymousTokens } from "#server/apps/anonymous-tokens.ts";
import { createJwtRules, presentRule } from "#server/apps/jwt-rules.ts";
import { createApps } from "#server/apps/apps.ts";
import { problemOfKeys } from "#server/apps/provider-keys.ts";
import { checkMayConnect } from "#server/fetch/hosts.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { pageOf } from "#server/lib/page.ts";
import type { Visitor } from "#server/lib/route.ts";
import { parseOrigin } from "#server/settings/origin.ts";
import { listUsers } from "./users.ts";

const keyPage = 50;
const userPage = 50;

/**
 * Apps on the administration's screens. It calls what the command line calls. Every function throws
 * `app-not-found`.
 */
export type Console = ReturnType<typeof createConsole>;

export function createConsole(options: {
  db: Database;
  clock: Clock;
  /** The origins that the settings allow for all apps. */
  originsForAll: readonly string[];
  /** The pages that may call while there is no list. */
  withoutList: App["without_list"];
  anonymousTokens: AnonymousTokens;
  budgets: Pick<Budgets, "ofGuests">;
}) {
  const { db, clock, anonymousTokens, budgets } = options;
  const apps = createApps({ db, clock });
  const keys = createApiKeys({ db, clock });
  const rules = createJwtRules({ db, clock });

  const presentKey = (key: ApiKey): AppKey => ({
    id: key.id,
    prefix: key.prefix,
    name: key.name,
    created_at: isoTime(key.created_at),
    last_used_at: isoTime(key.last_used_at),
    expires_at: isoTime(key.expires_at),
    revoked_at: isoTime(key.revoked_at),
    is_active: keys.isActive(key),
    is_from_setting: key.fromSetting,
  });

  async function presentTokens(id: string): Promise<AppAnonymousTokens> {
    const { isOn, models, isDecided } = await anonymousTokens.get(id);
    const shared = await budgets.ofGuests(isDecided ? id : null);
    return { is_on: isOn, models, ...shared, is_allowed: anonymousTokens.areAllowed };
  }

  return {
    require: async (id: string): Promise<void> => void (await apps.get(id)),

    async list(): Promise<AppSummary[]> {
      const active = Map.groupBy(
        (await keys.list()).filter((key) => keys.isActive(key)),
        (key) => key.app_id,
      );
      return (await apps.list()).map(({ id, name, created_at: createdAt }) => ({
        id,
        name,
        created_at: isoTime(createdAt),
        active_keys: active.get(id)?.length ?? 0,
      }));
    },

    /** Throws `app-exists`. */
    async create(name: string, actor: Actor): Promise<string> {
      const created = await apps.create(nameOf(name), actor);
      if (created === undefined) throw new AppError("app-exists");
      return created.id;
    },

    async get(id: string): Promise<App> {
      const { name, created_at: createdAt, origins } = await apps.get(id);
      return {
        id,
        name,
        created_at: isoTime(createdAt),
        origins,
        origins_for_all: [...options.originsForAll],
        without_list: options.withoutList,
        jwt_rules: (await rules.list(id)).map(presentRule),
        anonymous_tokens: await presentTokens(id),
      };
    },

    /** Throws `bad-cursor`. */
    async keys(id: string, { after, limit = keyPage }: QueryOf<"console.keys">) {
      await apps.get(id);
      const found = await keys.listOfApp(id, { after, limit: limit + 1 });
      const { page, next } = pageOf(found, limit);
      return { keys: page.map(presentKey), next };
    },

    async createKey(id: string, body: BodyOf<"console.createKey">, actor: Actor) {
      await apps.get(id);
      const expiresAt = body.expires_at == null ? undefined : Date.parse(body.expires_at);
      if (expiresAt !== undefined && expiresAt <= clock.now())
        throw badRequest("body.expires_at", "must be in the future");
      const { key, ...created } = await keys.create({ name: nameOf(body.name), appId: id, expiresAt }, actor);
      return { ...presentKey(created), key };
    },

    /** Throws `key-not-found`. */
    async revokeKey(id: string, keyId: string, actor: Actor): Promise<void> {
      await apps.get(id);
      if ((await keys.revoke(keyId, actor, id)) === undefined) throw new AppError("key-not-found");
    },

    /** Throws `too-many-origins`. */
    async addOrigin(id: string, text: string, actor: Actor): Promise<void> {
      const origin = parseOrigin(text);
      if (origin === undefined)
        throw badRequest(
          "body.origin",
          "must be a scheme and a host, with a port if it is not the default, and no path: https://app.example.com",
        );
      await apps.addOrigin(id, origin, actor);
    },

    removeOrigin: async (id: string, origin: string, actor: Actor): Promise<void> =>
      void (await apps.removeOrigin(id, origin, actor)),

    /** Throws `provider-private`. */
    async addRule(id: string, body: BodyOf<"console.addJwtRule">, { role }: Visitor, actor: Actor) {
      await apps.get(id);
      if (URL.canParse(body.jwks_url)) await checkMayConnect(role, body.jwks_url);
      const rule = await rules
        .add(
          {
            appId: id,
            issuer: body.issuer,
            audience: body.audience ?? undefined,
            jwksUrl: body.jwks_url,
            workspaceClaim: body.workspace_claim ?? undefined,
            algorithms: [...new Set(body.algorithms ?? ["RS256" as const])],
            isPublicOnly: role !== "owner",
          },
          actor,
        )
        .catch((error: unknown) => {
          throw inBody(error);
        });
      return { rule: presentRule(rule), keys_problem: (await problemOfKeys(rule, clock)) ?? null };
    },

    /** Throws `jwt-rule-not-found`. */
    async removeRule(id: string, ruleId: string, actor: Actor): Promise<void> {
      await apps.get(id);
      if (!(await rules.remove(ruleId, actor, id))) throw new AppError("jwt-rule-not-found");
    },

    async putAnonymousTokens(
      id: string,
      { is_on: isOn, models, budget }: BodyOf<"console.putAnonymousTokens">,
      actor: Actor,
    ): Promise<void> {
      await putAnonymousAccess({ db, clock }, id, { isOn, models, budget }, actor);
    },

    /** Throws `bad-cursor`. */
    async users(
      id: string,
      { search, cursor, limit = userPage }: QueryOf<"console.users">,
    ): Promise<{ users: AppUser[]; next: string | null }> {
      await apps.get(id);
      return await listUsers(db, id, { search, cursor, limit });
    },
  };
}

/** One line with at least one visible character. */
function nameOf(text: string): string {
  const name = cleanText(text).trim();
  if (name === "") throw badRequest("body.name", "must have at least one visible character");
  return name;
}

/** Fields of a rule, which the command line names by its options. */
const fieldOf: Record<string, string> = { jwks: "jwks_url", "workspace-claim": "workspace_claim" };

function inBody(error: unknown): unknown {
  const detail = error instanceof AppError ? error.details?.[0] : undefined;
  return detail === undefined
    ? error
    : badRequest(`body.${fieldOf[detail.path] ?? detail.path}`, detail.message);
}
