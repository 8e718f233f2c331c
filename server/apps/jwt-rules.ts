import type { RuleAlgorithm } from "#contract/accounts/rule-algorithms.ts";
import type { JwtRule as PresentedRule } from "#contract/endpoints/console.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import type { Row } from "#storage/database/tables.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { isoTime, type Clock } from "#server/lib/clock.ts";
import { badRequest } from "#server/lib/errors.ts";
import { ourIssuer } from "#server/sign-in/access-tokens.ts";
import * as rows from "./jwt-rule-rows.ts";
import { isName } from "./protocol-names.ts";

/** Which tokens of a sign-in provider are accepted, and which workspace they are for. */
export type JwtRule = {
  id: string;
  appId: string;
  /** Exactly the token's `iss`. */
  issuer: string;
  /** Must be in the token's `aud`. If `undefined`, `aud` is not checked. */
  audience: string | undefined;
  /** The URL of the issuer's public keys. */
  jwksUrl: string;
  /** The claim with the workspace's name; `o.id` is a nested claim. `undefined`: `sub`. */
  workspaceClaim: string | undefined;
  algorithms: RuleAlgorithm[];
  /** Whether the keys may only be on the public internet, because an administrator and not the owner named them. */
  isPublicOnly: boolean;
  createdAt: number;
};

export type NewJwtRule = Omit<JwtRule, "id" | "createdAt">;

/** Changes are in the audit log. */
export type JwtRules = {
  /** Adds a rule, which applies from the next request. Throws `bad-request` with the wrong field. */
  add(rule: NewJwtRule, actor: Actor): Promise<JwtRule>;
  /** All rules, or those of an app, oldest first. */
  list(appId?: string): Promise<JwtRule[]>;
  /**
   * Removes a rule and refuses the tokens that it accepted, from the next request. Returns `false` if there is none, or
   * none of the app `ofApp`.
   */
  remove(id: string, actor: Actor, ofApp?: string): Promise<boolean>;
  /** The rules for this issuer: those with an audience first, then oldest first. */
  findByIssuer(issuer: string): Promise<JwtRule[]>;
  exists(id: string): Promise<boolean>;
};

export function createJwtRules(options: { db: Database; clock: Clock }): JwtRules {
  const { db, clock } = options;
  return {
    async add(rule, actor) {
      assertValid(rule);
      const nowMs = clock.now();
      const added: JwtRule = { ...rule, id: newId("jwtRule", nowMs), createdAt: nowMs };
      await db
        .write(async (tx) => {
          await rows.insertRule(tx, rowOf(added));
          await record(tx, "jwt-rule-added", actor, added, nowMs);
        })
        .catch((error: unknown) => {
          throw isUniqueViolation(error)
            ? badRequest("audience", "this issuer and audience already have a rule; remove that one first")
            : error;
        });
      return added;
    },
    list: async (appId) => (await rows.listRules(db, appId)).map(ruleOf),
    remove: async (id, actor, ofApp) =>
      await db.write(async (tx) => {
        const row = await rows.findRule(tx, id);
        if (row === undefined || (ofApp !== undefined && row.app_id !== ofApp)) return false;
        await rows.deleteRule(tx, id);
        await record(tx, "jwt-rule-removed", actor, ruleOf(row), clock.now());
        return true;
      }),
    async findByIssuer(issuer) {
      const found = (await rows.findRules(db, issuer)).map(ruleOf);
      return found.toSorted((a, b) => Number(a.audience === undefined) - Number(b.audience === undefined));
    },
    exists: async (id) => await rows.ruleExists(db, id),
  };
}

async function record(
  tx: Tx,
  action: "jwt-rule-added" | "jwt-rule-removed",
  actor: Actor,
  rule: JwtRule,
  nowMs: number,
): Promise<void> {
  const details = { app: rule.appId, issuer: rule.issuer, jwks_url: rule.jwksUrl };
  await recordAudit(tx, { action, actor, target: rule.id, details }, nowMs);
}

function assertValid(rule: NewJwtRule): void {
  const names = { issuer: rule.issuer, audience: rule.audience, "workspace-claim": rule.workspaceClaim };
  for (const [field, text] of Object.entries(names)) {
    if (text !== undefined && !isName(text))
      throw badRequest(field, `must have 1 to ${limits.nameCharacters} characters without spaces`);
  }
  if (rule.issuer === ourIssuer)
    throw badRequest("issuer", "must not be the issuer of this service's own tokens");
  const error = jwksUrlError(rule.jwksUrl);
  if (error !== undefined) throw badRequest("jwks", error);
  if (rule.algorithms.length === 0) throw badRequest("algorithms", "must have at least one");
}

/** Without TLS, an attacker on the network could replace the keys. */
function jwksUrlError(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be a URL such as https://login.example.com/.well-known/jwks.json";
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== "" || password !== "" || hash !== "")
    return "must not contain a user name, a password or a #";
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === "https:" || (protocol === "http:" && isLoopback)) return undefined;
  return "must begin with https://; http:// only on this machine (localhost)";
}

function rowOf(rule: JwtRule): Row<"jwt_rules"> {
  return {
    id: rule.id,
    app_id: rule.appId,
    issuer: rule.issuer,
    audience: rule.audience ?? "",
    jwks_url: rule.jwksUrl,
    workspace_claim: rule.workspaceClaim ?? null,
    algorithms: JSON.stringify(rule.algorithms),
    public_only: rule.isPublicOnly ? 1 : 0,
    created_at: rule.createdAt,
  };
}

function ruleOf(row: Row<"jwt_rules">): JwtRule {
  return {
    id: row.id,
    appId: row.app_id,
    issuer: row.issuer,
    audience: row.audience === "" ? undefined : row.audience,
    jwksUrl: row.jwks_url,
    workspaceClaim: row.workspace_claim ?? undefined,
    algorithms: JSON.parse(row.algorithms) as RuleAlgorithm[],
    isPublicOnly: row.public_only === 1,
    createdAt: row.created_at,
  };
}

export function presentRule(rule: JwtRule): PresentedRule {
  return {
    id: rule.id,
    issuer: rule.issuer,
    audience: rule.audience ?? null,
    jwks_url: rule.jwksUrl,
    workspace_claim: rule.workspaceClaim ?? null,
    algorithms: rule.algorithms,
    created_at: isoTime(rule.createdAt),
  };
}
