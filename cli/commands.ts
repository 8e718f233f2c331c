import type { Command } from "commander";
import type { Door } from "./door.ts";
import { keyList } from "./key/list.ts";
import { keyMake } from "./key/make.ts";
import { keyRevoke } from "./key/revoke.ts";

/** Adds one command to its group; a file each. */
export type AddCommand = (group: Command, door: Door) => void;

/** Every command, in the order in which help lists them: `cli <group> <command>`. */
export const groups: Record<string, { about: string; commands: AddCommand[] }> = {
  key: { about: "API keys for your own backends", commands: [keyMake, keyList, keyRevoke] },
};
