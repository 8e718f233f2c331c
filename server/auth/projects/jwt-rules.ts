import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Clock } from "#server/lib/clock.ts";
import { badRequest } from "#server/lib/errors.ts";
import { ourIssuer } from "../access-tokens.ts";
import * as rows from "./jwt-rule-rows.ts";
import { isName } from "../names.ts";

/**
 * The signature algorithms that a provider can use. All of them use key pairs: with a shared secret or `none`, anyone who
 * knows the public keys could sign too.
 */
export const ruleAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;
export type RuleAlgorithm = (typeof ruleAlgorithms)[number];

/** Which tokens of a sign-in provider are accepted, and which workspace they are for. */
export type JwtRule = {
  id: string;
  projectId: string;
  /** Exactly the token's `iss`. */
  issuer: string;
  /** Must be in the token's `aud`. If `undefined`, `aud` is not checked. */
  audience: string | undefined;
  /** The URL of the issuer's public keys. */
  jwksUrl: string;
  /** The claim with the workspace's name; `o.id` is a nested claim. `undefined`: `sub`. */
  workspaceClaim: string | undefined;
  algorithms: RuleAlgorithm[];
  createdAt: number;
};

export type JwtRules = {
  /** Adds a rule, which applies from the next request. Throws `bad-request` with the wrong field. */
  add(rule: Omit<JwtRule, "id" | "createdAt">): Promise<JwtRule>;
  /** All rules, oldest first. */
  list(): Promise<JwtRule[]>;
  /** Removes a rule and refuses the tokens that it accepted, from the next request. Returns `false` if there is none. */
  remove(id: string): Promise<boolean>;
  /** The rules for this issuer: those with an audience first, then oldest first. */
  findByIssuer(issuer: string): Promise<JwtRule[]>;
  exists(id: string): Promise<boolean>;
};

export function createJwtRules(options: { db: Database; clock: Clock }): JwtRules {
  const { db, clock } = options;
  return {
    async add(rule) {
      assertValid(rule);
      const added: JwtRule = { ...rule, id: newId("jwtRule", clock.now()), createdAt: clock.now() };
      await db
        .write(async (tx) => await rows.insertRule(tx, rowOf(added)))
        .catch((error: unknown) => {
          throw isUniqueViolation(error)
            ? badRequest("audience", "this issuer and audience already have a rule; remove that one first")
            : error;
        });
      return added;
    },
    list: async () => (await rows.listRules(db)).map(ruleOf),
    remove: async (id) => await db.write(async (tx) => await rows.deleteRule(tx, id)),
    async findByIssuer(issuer) {
      const found = (await rows.findRules(db, issuer)).map(ruleOf);
      return found.toSorted((a, b) => Number(a.audience === undefined) - Number(b.audience === undefined));
    },
    exists: async (id) => await rows.ruleExists(db, id),
  };
}

function assertValid(rule: Omit<JwtRule, "id" | "createdAt">): void {
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
    project_id: rule.projectId,
    issuer: rule.issuer,
    audience: rule.audience ?? "",
    jwks_url: rule.jwksUrl,
    workspace_claim: rule.workspaceClaim ?? null,
    algorithms: JSON.stringify(rule.algorithms),
    created_at: rule.createdAt,
  };
}

function ruleOf(row: Row<"jwt_rules">): JwtRule {
  return {
    id: row.id,
    projectId: row.project_id,
    issuer: row.issuer,
    audience: row.audience === "" ? undefined : row.audience,
    jwksUrl: row.jwks_url,
    workspaceClaim: row.workspace_claim ?? undefined,
    algorithms: JSON.parse(row.algorithms) as RuleAlgorithm[],
    createdAt: row.created_at,
  };
}
