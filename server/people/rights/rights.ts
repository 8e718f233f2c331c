import { errorOfPermission } from "#contract/accounts/permission-errors.ts";
import type { Permission, Role } from "#contract/accounts/permissions.ts";
import type { Database } from "#storage/database/database.ts";
import { readUntilChanged } from "#storage/database/read-until-changed.ts";
import { AppError } from "#server/lib/errors.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import { roleOf } from "../accounts/roles.ts";
import { findPlace } from "../users/rows.ts";
import { hashOf } from "#server/sign-in/secrets.ts";
import { accessOf, fullAccess, toSearch, type Access, type RightsToSearch } from "./access.ts";
import * as rows from "./rows.ts";

/** Somebody whose request ended, as rows name them. */
export type PersonInWorkspace = { userId: string; workspaceId: string };

/**
 * What people may use: the rights of their role and of all their groups. Owners, administrators and users of a backend may
 * use everything. Each process keeps what it has read until somebody changes any rights.
 */
export type Rights = {
  of(visitor: Visitor): Promise<Access>;
  /** The same for work that outlives its request. */
  ofPerson(person: PersonInWorkspace): Promise<Access>;
  /** Throws the error of the permission if the visitor does not have it. */
  check(visitor: Visitor, permission: Permission): Promise<void>;
  /** Whether links to threads work. */
  isLinkSharingOn(): Promise<boolean>;
  /** An opaque digest of what the visitor may use. Null for users of a backend. */
  digestOf(visitor: Visitor): Promise<string | null>;
};

/** Whose rights: `appId` is the app of a visitor with an anonymous token. */
type Held = { userId: string; appId: string | null };

/** People whose access is kept in memory; about 1 KB each. */
const keptMax = 20_000;

export function createRights({ db }: { db: Database }): Rights {
  const settings = readUntilChanged(db, rows.rightsTopic, async () => {
    const [{ member, guest, linkSharing }, modelsOfApps] = await Promise.all([
      rows.readAccessSettings(db.read),
      rows.readModelsOfApps(db.read),
    ]);
    // What guests may use, with the app's models.
    const apps = [...modelsOfApps].map(([id, models]) => [id, toSearch({ ...guest, models })] as const);
    return { member: toSearch(member), guest: toSearch(guest), apps: new Map(apps), linkSharing };
  });
  const groups = readUntilChanged(db, rows.rightsTopic, async () => {
    const all = await rows.readGroupRights(db.read);
    return new Map([...all].map(([id, rights]) => [id, toSearch(rights)]));
  });
  /** Reads that are in progress while the rights change store their results in the former map, which is no longer used. */
  let kept = new Map<string, Access>();
  for (const topic of [rows.rightsTopic, rows.peopleTopic])
    db.pubSub.subscribe(topic, () => (kept = new Map()));

  async function keep(key: string, read: () => Promise<Access>): Promise<Access> {
    const map = kept;
    const access = await read();
    if (map.size >= keptMax) map.clear();
    map.set(key, access);
    return access;
  }

  async function readRights(role: "member" | "guest", { userId, appId }: Held): Promise<RightsToSearch[]> {
    if (role === "guest") {
      const { guest, apps } = await settings();
      return [apps.get(appId ?? "") ?? guest];
    }
    const [{ member }, all, ids] = await Promise.all([
      settings(),
      groups(),
      rows.readGroupsOf(db.read, userId),
    ]);
    return [member, ...ids.toSorted().flatMap((id) => all.get(id) ?? [])];
  }

  async function ofRole(role: Role, held: Held): Promise<Access> {
    if (role === "owner" || role === "admin") return fullAccess(role);
    const key = role === "guest" ? (held.appId ?? "guest") : held.userId;
    return kept.get(key) ?? (await keep(key, async () => accessOf(role, await readRights(role, held))));
  }

  const of = async (visitor: Visitor): Promise<Access> => {
    if (!isOwnUser(visitor)) return fullAccess(visitor.role);
    const appId = visitor.isAppVisitor === true ? visitor.appId : null;
    return await ofRole(visitor.role, { userId: visitor.userId, appId });
  };

  return {
    of,
    async ofPerson({ userId, workspaceId }) {
      const { isOwn, user } = await findPlace(db.read, userId, workspaceId);
      if (user !== undefined) return await ofRole(roleOf(user), { userId, appId: user.app_id });
      // A backend decides about its own users. People of this server who were deleted may use nothing.
      return isOwn === false ? fullAccess("member") : accessOf("guest", []);
    },
    async check(visitor, permission) {
      if (permission === "threads.share" && !(await settings()).linkSharing)
        throw new AppError("sharing-off");
      if ((await of(visitor)).has(permission)) return;
      throw new AppError(errorOfPermission(permission));
    },
    isLinkSharingOn: async () => (await settings()).linkSharing,
    async digestOf(visitor) {
      if (!isOwnUser(visitor)) return null;
      const { userId, workspaceId } = visitor;
      const { user } = await findPlace(db.read, userId, workspaceId);
      const role = user === undefined ? "guest" : roleOf(user);
      const who = { userId, appId: user?.app_id ?? null };
      const held = role === "member" || role === "guest" ? await readRights(role, who) : [];
      const { linkSharing } = await settings();
      return hashOf(JSON.stringify([role, linkSharing, ...held.map(({ digest }) => digest)]));
    },
  };
}
