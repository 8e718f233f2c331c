import type { Command } from "commander";
import { backup } from "./backup/backup.ts";
import { exportThreads } from "./transfer/export.ts";
import { importThreads } from "./transfer/import.ts";
import { copyFrom } from "./copy/command.ts";
import { doctor } from "./doctor.ts";
import type { CommandContext } from "./command-context.ts";
import { jwtRuleAdd, jwtRuleList, jwtRuleRemove } from "./jwt-rule.ts";
import { keyCreate, keyList, keyRevoke } from "./key.ts";
import { migrate } from "./migrate.ts";
import { moveBlobsCommand } from "./move-blobs.ts";
import { originAdd, originList, originRemove } from "./origin.ts";
import { ownerLink, ownerReset } from "./owner.ts";
import { projectCreate, projectList } from "./project.ts";
import { providerKeyRotate } from "./provider-keys.ts";
import { restore } from "./backup/restore.ts";

/** Adds one command to its group. The commands of a group are in one file. */
export type AddCommand = (group: Command, context: CommandContext) => void;

/** Commands without a group, in the order of the help: `cli <command>`. */
export const commands: AddCommand[] = [
  backup,
  restore,
  exportThreads,
  importThreads,
  doctor,
  moveBlobsCommand,
  migrate,
  ownerLink,
];

/** Groups of commands, in the order of the help: `cli <group> <command>`. */
export const groups: Record<string, { about: string; commands: AddCommand[] }> = {
  owner: { about: "the account of the server's owner", commands: [ownerReset] },
  key: { about: "API keys for your own backends", commands: [keyCreate, keyList, keyRevoke] },
  "provider-key": { about: "the keys of model providers", commands: [providerKeyRotate] },
  project: {
    about: "tenants, each with its own keys, users and threads",
    commands: [projectCreate, projectList],
  },
  origin: {
    about: "origins whose pages may call from a browser",
    commands: [originAdd, originRemove, originList],
  },
  "jwt-rule": {
    about: "rules for the tokens of your own sign-in provider",
    commands: [jwtRuleAdd, jwtRuleList, jwtRuleRemove],
  },
  copy: { about: "copy threads and messages from other servers", commands: [copyFrom] },
};
