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
 * How a provider may sign. Only with a key pair: with a shared secret, or none at all, whoever knows the public keys
 * could sign too.
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

/** By which tokens of somebody else's sign-in are taken, and whom they stand for. */
export type JwtRule = {
  id: string;
  projectId: string;
  /** The token's `iss`, to the letter. */
  issuer: string;
  /** What must be among the token's `aud`; absent: anything, and nothing. */
  audience: string | undefined;
  /** Where the issuer's public keys are. */
  jwksUrl: string;
  /** The claim that names the workspace, `o.id` for one within another; absent: `sub`. */
  workspaceClaim: string | undefined;
  algorithms: RuleAlgorithm[];
  createdAt: number;
};

export type JwtRules = {
  /** Adds a rule, which counts from the next request on. Throws `bad-request`, naming the field and the remedy. */
  add(rule: Omit<JwtRule, "id" | "createdAt">): Promise<JwtRule>;
  /** Every rule, the oldest first. */
  list(): Promise<JwtRule[]>;
  /** Takes a rule away, and with it every token that was taken by it, from the next request on; `false` for none. */
  remove(id: string): Promise<boolean>;
  /** The rules of this issuer: those that name an audience first, of those the oldest. */
  of(issuer: string): Promise<JwtRule[]>;
  /** Whether the rule of this id still stands. */
  stands(id: string): Promise<boolean>;
};

export function createJwtRules(options: { db: Database; clock: Clock }): JwtRules {
  const { db, clock } = options;
  return {
    async add(rule) {
      check(rule);
      const added: JwtRule = { ...rule, id: newId("jwtRule", clock.now()), createdAt: clock.now() };
      await db
        .write(async (tx) => await rows.insertRule(tx, rowOf(added)))
        .catch((error: unknown) => {
          throw isUniqueViolation(error)
            ? badRequest("audience", "there is a rule for it and this issuer already; remove that one first")
            : error;
        });
      return added;
    },
    list: async () => (await rows.listRules(db)).map(ruleOf),
    remove: async (id) => await db.write(async (tx) => await rows.deleteRule(tx, id)),
    async of(issuer) {
      const found = (await rows.findRules(db, issuer)).map(ruleOf);
      return found.toSorted((a, b) => Number(a.audience === undefined) - Number(b.audience === undefined));
    },
    stands: async (id) => await rows.ruleStands(db, id),
  };
}

function check(rule: Omit<JwtRule, "id" | "createdAt">): void {
  const names = { issuer: rule.issuer, audience: rule.audience, "workspace-claim": rule.workspaceClaim };
  for (const [field, text] of Object.entries(names)) {
    if (text !== undefined && !isName(text))
      throw badRequest(field, `must have 1 to ${limits.nameCharacters} characters without spaces`);
  }
  if (rule.issuer === ourIssuer) throw badRequest("issuer", "must be another than that of our own tokens");
  const mistake = jwksUrlMistake(rule.jwksUrl);
  if (mistake !== undefined) throw badRequest("jwks", mistake);
  if (rule.algorithms.length === 0) throw badRequest("algorithms", "must have at least one");
}

/** Keys that came over a line which anyone may change would be anyone's keys. */
function jwksUrlMistake(text: string): string | undefined {
  if (!URL.canParse(text))
    return "must be an address, such as https://login.example.com/.well-known/jwks.json";
  const { protocol, hostname, username, password, hash } = new URL(text);
  if (username !== "" || password !== "" || hash !== "") return "must be without a name, a password and a #";
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
