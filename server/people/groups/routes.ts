import type { Database } from "#storage/database/database.ts";
import { allows } from "#contract/accounts/permissions.ts";
import type { AccessSettings } from "#contract/endpoints/groups.ts";
import { actorOf, recordAudit } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Routes } from "#server/lib/route.ts";
import { changeAccessSettings, readAccessSettings, type AccessSettings as Stored } from "../rights/rows.ts";
import type { Groups } from "./groups.ts";

type Names =
  | "groups.list"
  | "groups.get"
  | "groups.create"
  | "groups.update"
  | "groups.remove"
  | "groups.members"
  | "groups.addMember"
  | "groups.removeMember"
  | "accessSettings.get"
  | "accessSettings.put";

export function groupRoutes(groups: Groups, { db, clock }: { db: Database; clock: Clock }): Routes<Names> {
  return {
    "groups.list": async ({ query }) => await groups.list(query),
    "groups.get": async ({ params }) => await groups.get(params.group_id),
    "groups.create": async (call) => await groups.create(call.body, actorOf(call)),
    "groups.update": async (call) => await groups.update(call.params.group_id, call.body, actorOf(call)),
    "groups.remove": async (call) => {
      await groups.remove(call.params.group_id, actorOf(call));
      return {};
    },
    "groups.members": async ({ params, query }) => await groups.members(params.group_id, query),
    "groups.addMember": async (call) => {
      await groups.addMember(call.params.group_id, call.params.person_id, actorOf(call));
      return {};
    },
    "groups.removeMember": async (call) => {
      await groups.removeMember(call.params.group_id, call.params.person_id, actorOf(call));
      return {};
    },
    "accessSettings.get": async () => present(await readAccessSettings(db.read)),
    "accessSettings.put": async (call) =>
      await db.write(async (tx) => {
        const { member, guest, link_sharing: linkSharing } = call.body;
        const mayRestrict = allows(call.visitor.role, "sharing.restrict");
        const now = await readAccessSettings(tx.q);
        if ((linkSharing ?? now.linkSharing) !== now.linkSharing && !mayRestrict)
          throw new AppError("not-allowed");
        const nowMs = clock.now();
        const change = { member, guest, linkSharing: mayRestrict ? linkSharing : undefined };
        const next = await changeAccessSettings(tx, change, nowMs);
        const entry = {
          action: "access-settings-changed",
          actor: actorOf(call),
          details: present(next),
        } as const;
        await recordAudit(tx, entry, nowMs);
        return present(next);
      }),
  };
}

function present({ member, guest, linkSharing }: Stored): AccessSettings {
  return { member, guest, link_sharing: linkSharing };
}
