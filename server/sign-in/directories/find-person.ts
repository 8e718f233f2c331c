import { randomUUID } from "node:crypto";
import type { Client, Entry } from "ldapts";
import type { Directory } from "#contract/endpoints/directories.ts";
import { withDirectory, type DirectoryLocation } from "./connection.ts";
import { filterOf } from "./filter.ts";
import { asDirectoryError, DirectoryError } from "./problems.ts";

export type DirectoryPerson = {
  dn: string;
  /** Never changes, unlike the DN and the address, unless the entry has nothing else. */
  subject: string;
  name: string | undefined;
  email: string | undefined;
  groups: string[];
};

/** How people are found. `groupsAttribute`: of their own entry, or of groups if those are searched. */
export type PersonSearch = { directory: Directory; groupsAttribute: string | undefined };

/** Somebody with more groups has a directory that should be searched for fewer. */
const groupsMax = 1_000;
/** In seconds. */
const searchSeconds = 5;

/** Finds a person without their password. Throws `DirectoryError`, also if none or several are found. */
export async function findPerson(
  location: DirectoryLocation,
  search: PersonSearch,
  username: string,
): Promise<DirectoryPerson> {
  return await withDirectory(location, async (client) => {
    const entry = await searchEntry(client, search, username);
    if (entry === undefined) throw new DirectoryError("nobody-found", null);
    return await personOf(client, search, username, entry);
  });
}

/** Whether the directory can be searched. Throws `DirectoryError`. */
export async function checkDirectory(location: DirectoryLocation, search: PersonSearch): Promise<void> {
  await withDirectory(location, async (client) => void (await searchEntry(client, search, randomUUID())));
}

/**
 * The person with this user name and password; `undefined` if no entry matches or the directory refuses the password.
 * Throws `DirectoryError`.
 */
export async function signInPerson(
  location: DirectoryLocation,
  search: PersonSearch,
  { username, password }: { username: string; password: string },
): Promise<DirectoryPerson | undefined> {
  // With an empty password, LDAP accepts everybody ("unauthenticated bind").
  if (password === "") return undefined;
  return await withDirectory(location, async (client) => {
    const entry = await searchEntry(client, search, username);
    // Bind even if no entry matches, so that both cases take equally long.
    const dn = entry?.dn ?? `cn=${randomUUID()},${search.directory.base_dn}`;
    const person = entry && (await personOf(client, search, username, entry));
    const isRight = await accepts(client, dn, password);
    return isRight ? person : undefined;
  });
}

async function accepts(client: Client, dn: string, password: string): Promise<boolean> {
  const { ResultCodeError } = await import("ldapts");
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    // The password is wrong or expired, or the account is locked.
    if (error instanceof ResultCodeError) return false;
    throw asDirectoryError(error, "bind");
  }
}

/** Throws `DirectoryError` if several entries match. */
async function searchEntry(
  client: Client,
  { directory, groupsAttribute }: PersonSearch,
  username: string,
): Promise<Entry | undefined> {
  const filter = await filterOf(directory.user_filter, { username });
  const own = directory.group_base_dn === null && groupsAttribute !== undefined ? [groupsAttribute] : [];
  const attributes = [
    ...idAttributes(directory),
    directory.name_attribute,
    directory.email_attribute,
    ...own,
  ];
  const options = { scope: "sub", filter, attributes, sizeLimit: 2, timeLimit: searchSeconds } as const;
  const { searchEntries } = await client
    .search(directory.base_dn, { ...options, explicitBufferAttributes: ["objectGUID"] })
    .catch((error: unknown) => {
      // More than two.
      if ((error as { code?: unknown }).code === 4) throw new DirectoryError("several-found", null, error);
      throw asDirectoryError(error, "search");
    });
  const [entry, ...more] = searchEntries;
  if (more.length > 0) throw new DirectoryError("several-found", null);
  // A bind without a DN succeeds for everybody.
  return entry === undefined || entry.dn === "" ? undefined : entry;
}

async function personOf(
  client: Client,
  search: PersonSearch,
  username: string,
  entry: Entry,
): Promise<DirectoryPerson> {
  const { directory } = search;
  const subject = idAttributes(directory)
    .flatMap((name) => valuesOf(entry, name))
    .find((value) => value !== "");
  return {
    dn: entry.dn,
    subject: subject ?? entry.dn.toLowerCase(),
    name: valuesOf(entry, directory.name_attribute)[0],
    email: valuesOf(entry, directory.email_attribute)[0],
    groups: await groupsOf(client, search, username, entry),
  };
}

async function groupsOf(
  client: Client,
  { directory, groupsAttribute }: PersonSearch,
  username: string,
  entry: Entry,
): Promise<string[]> {
  if (groupsAttribute === undefined) return [];
  const { group_base_dn: base, group_filter: template } = directory;
  if (base === null) return valuesOf(entry, groupsAttribute).flatMap(namesOfGroup);
  const values = { username, dn: entry.dn };
  const filter = await filterOf(template ?? "(member={dn})", values);
  const attributes = [groupsAttribute];
  const { searchEntries } = await client
    .search(base, { scope: "sub", filter, attributes, sizeLimit: groupsMax, timeLimit: searchSeconds })
    .catch((error: unknown) => {
      throw asDirectoryError(error, "search");
    });
  return searchEntries.flatMap((group) => valuesOf(group, groupsAttribute)).flatMap(namesOfGroup);
}

/** A group by its DN, as `memberOf` has it, and by its name: `cn=Staff,ou=groups,…` is also `Staff`. */
function namesOfGroup(value: string): string[] {
  const name = /^cn=((?:[^,+\\]|\\.)+)(?:,|$)/i.exec(value)?.[1];
  return name === undefined ? [value] : [value, name.replaceAll(/\\([^0-9a-f])/gi, "$1")];
}

function idAttributes({ id_attribute: chosen }: Directory): string[] {
  return chosen === null ? ["entryUUID", "objectGUID"] : [chosen];
}

/** The texts of an attribute, whatever its case. Binary ids are written in hexadecimal. */
function valuesOf(entry: Entry, name: string): string[] {
  const key = Object.keys(entry).find((each) => each.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? [] : entry[key]!;
  const all: (Buffer | string)[] = Array.isArray(value) ? value : [value];
  return all.map((each) => (typeof each === "string" ? each : each.toString("hex")));
}
