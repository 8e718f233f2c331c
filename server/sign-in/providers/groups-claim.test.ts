import { expect, test } from "vitest";
import { groupsIn } from "./groups-claim.ts";

test.for<[string, string, Record<string, unknown>, string[] | undefined]>([
  ["a list", "groups", { groups: ["eng", "docs"] }, ["eng", "docs"]],
  ["one text", "groups", { groups: "eng" }, ["eng"]],
  ["no such claim", "groups", { email: "ada@example.com" }, []],
  ["values that are no texts", "groups", { groups: ["eng", 1, null, ["docs"]] }, ["eng"]],
  ["Keycloak's roles", "realm_access.roles", { realm_access: { roles: ["admin"] } }, ["admin"]],
  ["a deeper claim", "resource_access.app.roles", { resource_access: { app: { roles: ["a"] } } }, ["a"]],
  ["a name with dots", "https://corp.example/groups", { "https://corp.example/groups": ["eng"] }, ["eng"]],
  ["a claim inside a text", "realm_access.length", { realm_access: "text" }, []],
  ["a claim inside a list", "realm_access.0", { realm_access: ["eng"] }, []],
  ["a missing outer claim", "realm_access.roles", {}, []],
  ["an inherited property", "realm_access.constructor", { realm_access: {} }, []],
  ["groups that are elsewhere", "groups", { _claim_names: { groups: "src1" } }, undefined],
  ["other claims that are elsewhere", "groups", { _claim_names: { photo: "src1" } }, []],
])("reads %s", ([, name, claims, expected]) => {
  expect(groupsIn(claims, name)).toEqual(expected);
});

test("reads no groups if the provider has no claim for them", () => {
  expect(groupsIn({ groups: ["eng"] }, undefined)).toEqual([]);
});
