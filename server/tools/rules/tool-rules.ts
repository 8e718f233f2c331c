import type { BodyOf } from "#contract/api.ts";
import type { ToolRuleEntry } from "#contract/tools/endpoints.ts";
import { newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { readUntilChanged } from "#storage/database/read-until-changed.ts";
import type { Row } from "#storage/database/tables.ts";
import { actorOf, recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { isOwnUser, type RequestFacts, type Routes, type Visitor } from "#server/lib/route.ts";
import type { Live } from "#server/live/live.ts";
import { ownedRows } from "#server/people/owned-rows.ts";
import { readGroupsOf } from "#server/people/rights/rows.ts";
import type { PersonInWorkspace } from "#server/people/rights/rights.ts";
import { findPlace } from "#server/people/users/rows.ts";
import { builtInSource, type Tool } from "../tool.ts";
import type { RunRules, ToolRule } from "./decide.ts";

export type ToolRules = ReturnType<typeof createToolRules>;

type RuleRow = Row<"tool_rules">;
type Owner = Pick<RuleRow, "user_id" | "group_id" | "assistant_id">;
type RuleChange = BodyOf<"toolRules.put"> & { schemaHash?: string | null | undefined };
type From = Pick<RequestFacts, "limitKey">;

/** Published when administrators change rules. */
const changedTopic = "tool-rules";

/**
 * Whether tools are used without asking, only after asking, or never: what administrators say for everybody, an assistant or
 * a group, and what people say for themselves. `decide.ts` says what follows from them.
 */
export function createToolRules(options: { db: Database; clock: Clock; live: Live; tools: readonly Tool[] }) {
  const { db, clock, live, tools } = options;
  const owned = ownedRows("tool_rules", "user_id");

  const readForAll = async () =>
    await db.read.selectFrom("tool_rules").selectAll().where("user_id", "is", null).orderBy("id").execute();
  const ofAdmins = readUntilChanged(db, changedTopic, readForAll);

  const ofPerson = async (q: Tx["q"], userId: string) => await owned.list(q, userId);

  /** Sets or removes the owner's rule for one tool or source. Returns whether that changed anything. */
  async function set(
    tx: Tx,
    owner: Owner,
    { source, tool, rule, schemaHash = null }: RuleChange,
  ): Promise<boolean> {
    const all = await tx.q
      .selectFrom("tool_rules")
      .selectAll()
      .where((is) => (owner.user_id === null ? is("user_id", "is", null) : is("user_id", "=", owner.user_id)))
      .execute();
    const existing = all.filter(
      (row) =>
        row.source === source &&
        row.tool === tool &&
        row.group_id === owner.group_id &&
        row.assistant_id === owner.assistant_id,
    );
    if (rule === null && existing.length === 0) return false;
    if (existing.length > 0)
      await tx.q
        .deleteFrom("tool_rules")
        .where(
          "id",
          "in",
          existing.map(({ id }) => id),
        )
        .execute();
    if (rule === null) return true;
    if (all.length - existing.length >= limits.toolRulesMax) throw new AppError("too-many-tool-rules");
    const nowMs = clock.now();
    const [first] = existing;
    await owned.insert(tx, {
      id: first?.id ?? newId("toolRule", nowMs),
      ...owner,
      source,
      tool,
      rule,
      schema_hash: rule === "always" ? schemaHash : null,
      updated_at: nowMs,
    });
    return true;
  }

  const isBuiltInReader = ({ source, tool }: Pick<ToolRule, "source" | "tool">): boolean =>
    source === builtInSource && tools.some(({ name, effect }) => name === tool && effect === "reads");

  return {
    /** The rules that hold for a run of this person. */
    async of({
      userId,
      workspaceId,
      assistantId,
    }: PersonInWorkspace & { assistantId: string | null }): Promise<Pick<RunRules, "admin" | "own">> {
      const admin = (await ofAdmins()).filter((row) => (row.assistant_id ?? assistantId) === assistantId);
      // A backend can give its users the ids of people of this server.
      const { isOwn, user } = await findPlace(db.read, userId, workspaceId);
      const isPerson = isOwn === true && user !== undefined;
      const areOfGroups = admin.some(({ group_id: id }) => id !== null);
      const groups = new Set(isPerson && areOfGroups ? await readGroupsOf(db.read, userId) : []);
      return {
        admin: admin.filter(({ group_id: id }) => id === null || groups.has(id)).map(ruleOf),
        own: isPerson ? (await ofPerson(db.read, userId)).map(ruleOf) : [],
      };
    },

    /** In the transaction in which a person allows a call: allows the tool for them from now on. */
    async allow(tx: Tx, { userId, workspaceId }: Visitor, tool: ToolRule & { tool: string }): Promise<void> {
      const owner = { user_id: userId, group_id: null, assistant_id: null };
      await set(tx, owner, tool);
      await live.announce(tx, workspaceId, [{ type: "toolRules-put" }]);
    },

    /** The built-in tools, and the visitor's own rules with what administrators say about the same tools. */
    async list(visitor: Visitor) {
      if (!isOwnUser(visitor)) throw new AppError("not-allowed");
      const own = await ofPerson(db.read, visitor.userId);
      return { tools: tools.map(presentTool), rules: own.map(presentRule) };
    },

    async put(visitor: Visitor, body: BodyOf<"toolRules.put">): Promise<void> {
      if (!isOwnUser(visitor)) throw new AppError("not-allowed");
      if (body.rule === "always" && !isBuiltInReader(body))
        throw badRequest(
          "body.rule",
          "can be always only for a built-in tool that reads: allow others where they ask",
        );
      await db.write(async (tx) => {
        const owner = { user_id: visitor.userId, group_id: null, assistant_id: null };
        if (await set(tx, owner, body))
          await live.announce(tx, visitor.workspaceId, [{ type: "toolRules-put" }]);
      });
    },

    /** All rules of administrators. */
    listForAll: async () => ({
      tools: tools.map(presentTool),
      rules: (await readForAll()).map(presentRule),
    }),

    async putForAll(visitor: Visitor, body: BodyOf<"toolRules.putForAll">, request: From): Promise<void> {
      const {
        group_id: groupId = null,
        assistant_id: assistantId = null,
        schema_hash: schemaHash,
        ...rule
      } = body;
      if (groupId !== null && assistantId !== null)
        throw badRequest("body.group_id", "give either a group or an assistant");
      const needsHash = rule.rule === "always" && rule.tool !== null && !isBuiltInReader(rule);
      if (needsHash && schemaHash === undefined)
        throw badRequest("body.schema_hash", "is required: the hash of the tool as it was shown");
      await db.write(async (tx) => {
        if (groupId !== null) await requireGroup(tx, groupId);
        const owner = { user_id: null, group_id: groupId, assistant_id: assistantId };
        if (!(await set(tx, owner, { ...rule, schemaHash }))) return;
        tx.publishOnCommit.add(changedTopic);
        await live.announce(tx, visitor.workspaceId, [{ type: "toolRules-put" }]);
        const action = rule.rule === null ? "tool-rule-removed" : "tool-rule-set";
        const { source, tool, rule: value } = rule;
        const details = { source, tool, rule: value, group_id: groupId, assistant_id: assistantId };
        await recordAudit(tx, { action, actor: actorOf({ visitor, request }), details }, clock.now());
      });
    },

    async move(tx: Tx, people: Parameters<typeof owned.move>[1]): Promise<void> {
      const { from, to } = people;
      if ((await owned.count(tx.q, to.userId)) === 0) await owned.move(tx, people);
      await owned.erase(tx, from, [from.workspaceId]);
    },
    erase: owned.erase,
  };
}

async function requireGroup(tx: Tx, id: string): Promise<void> {
  const found = await tx.q.selectFrom("user_groups").select("id").where("id", "=", id).executeTakeFirst();
  if (found === undefined) throw new AppError("group-not-found");
}

function ruleOf({ source, tool, rule, schema_hash: schemaHash }: RuleRow): ToolRule {
  return { source, tool, rule, schemaHash };
}

function presentRule(row: RuleRow): ToolRuleEntry {
  const { source, tool, rule, group_id, assistant_id } = row;
  return { source, tool, rule, group_id, assistant_id };
}

function presentTool(tool: Tool) {
  const { name, title, description, source, effect, sendsTo, schemaHash } = tool;
  return {
    name,
    title: title ?? null,
    description,
    source,
    effect,
    sends_to: sendsTo ?? null,
    schema_hash: schemaHash,
  };
}

export function toolRuleRoutes(
  rules: ToolRules,
): Routes<"toolRules.list" | "toolRules.put" | "toolRules.listForAll" | "toolRules.putForAll"> {
  return {
    "toolRules.list": async ({ visitor }) => await rules.list(visitor),
    "toolRules.put": async ({ visitor, body }) => {
      await rules.put(visitor, body);
      return {};
    },
    "toolRules.listForAll": async () => await rules.listForAll(),
    "toolRules.putForAll": async ({ visitor, body, request }) => {
      await rules.putForAll(visitor, body, request);
      return {};
    },
  };
}
