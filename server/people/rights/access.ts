import {
  allows,
  grantOf,
  isGranted,
  permissions,
  type Permission,
  type Role,
} from "#contract/accounts/permissions.ts";
import type { Rights } from "#contract/accounts/rights.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import { hashOf } from "#server/sign-in/secrets.ts";

/** What somebody may use, in a form that is quick to ask. */
export type Access = {
  model(id: string): boolean;
  assistant(id: string): boolean;
  tool(name: string): boolean;
  has(permission: Permission): boolean;
};

const always = (): boolean => true;

/** Access to all models, assistants and tools, and the permissions of the role. */
export function fullAccess(role: Role): Access {
  return { model: always, assistant: always, tool: always, has: (permission) => allows(role, permission) };
}

/** Rights in a form that is quick to search, shared by everyone who has them. Equal rights have the same `digest`. */
export type RightsToSearch = Record<"models" | "assistants" | "tools", ReadonlySet<string> | null> &
  Pick<Rights, "permissions"> & { digest: string };

export function toSearch({ models, assistants, tools, permissions: granted }: Rights): RightsToSearch {
  const setOf = (list: string[] | null) => list && new Set(list);
  return {
    models: setOf(models),
    assistants: setOf(assistants),
    tools: setOf(tools),
    permissions: granted,
    digest: hashOf(JSON.stringify([models, assistants, tools, granted])),
  };
}

/** What any of `rights` allows. Permissions that cannot be granted depend on the role. */
export function accessOf(role: Role, rights: readonly RightsToSearch[]): Access {
  const granted = new Set(rights.flatMap((each) => each.permissions));
  const has = (permission: Permission): boolean => {
    const grant = grantOf(permission);
    if (grant === undefined) return allows(role, permission);
    return granted.has(grant) && (isGranted(permission) || allows(role, permission));
  };
  const held = new Set(permissions.filter(has));
  const assistant = union(rights.map((each) => each.assistants));
  return {
    model: union(rights.map((each) => each.models)),
    assistant: (id) => id === defaultAssistantId || assistant(id),
    tool: union(rights.map((each) => each.tools)),
    has: (permission) => held.has(permission),
  };
}

function union(lists: readonly (ReadonlySet<string> | null)[]): (id: string) => boolean {
  const sets = lists.filter((list) => list !== null);
  return sets.length < lists.length ? always : (id) => sets.some((set) => set.has(id));
}
