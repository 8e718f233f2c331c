import type { Command } from "commander";
import { backup } from "./backup.ts";
import { exportThreads } from "./transfer/export.ts";
import { importThreads } from "./transfer/import.ts";
import { copyFrom } from "./copy/from.ts";
import { doctor } from "./doctor.ts";
import type { Door } from "./open-database.ts";
import { jwtRuleAdd } from "./jwt-rule/add.ts";
import { jwtRuleList } from "./jwt-rule/list.ts";
import { jwtRuleRemove } from "./jwt-rule/remove.ts";
import { keyList } from "./key/list.ts";
import { keyMake } from "./key/make.ts";
import { keyRevoke } from "./key/revoke.ts";
import { migrate } from "./migrate.ts";
import { moveBlobsCommand } from "./move-blobs.ts";
import { originAllow } from "./origin/allow.ts";
import { originForbid } from "./origin/forbid.ts";
import { originList } from "./origin/list.ts";
import { ownerLink } from "./owner-link.ts";
import { projectList } from "./project/list.ts";
import { projectMake } from "./project/make.ts";
import { restore } from "./restore.ts";

/** Adds one command to its group; a file each. */
export type AddCommand = (group: Command, door: Door) => void;

/** Commands that stand by themselves, in the order in which help lists them: `cli <command>`. */
export const singles: AddCommand[] = [
  backup,
  restore,
  exportThreads,
  importThreads,
  doctor,
  moveBlobsCommand,
  migrate,
  ownerLink,
];

/** Every command of a group, in the order in which help lists them: `cli <group> <command>`. */
export const groups: Record<string, { about: string; commands: AddCommand[] }> = {
  key: { about: "API keys for your own backends", commands: [keyMake, keyList, keyRevoke] },
  project: {
    about: "tenants, each with its own keys, people and threads",
    commands: [projectMake, projectList],
  },
  origin: {
    about: "whose pages may call from a browser",
    commands: [originAllow, originForbid, originList],
  },
  "jwt-rule": {
    about: "tokens of your own sign-in provider",
    commands: [jwtRuleAdd, jwtRuleList, jwtRuleRemove],
  },
  copy: { about: "Threads and messages from other servers", commands: [copyFrom] },
};
