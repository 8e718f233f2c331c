import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import {
  checkExtra,
  checkExtras,
  findExtra,
  packagesOf,
  type FoundExtra,
} from "#server/extras/find-extra.ts";
import { installExtra, removeExtra } from "#server/extras/install-extra.ts";
import { extraNames, extras, type ExtraName, type PinnedPackage } from "#server/extras/list.ts";
import { commandLine } from "#server/lib/program.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { table } from "../table.ts";
import { downloadPackages } from "../package/npm.ts";

/** `add <extra>`: downloads what is not for everybody. */
export function addExtra(program: Command, context: CommandContext): void {
  program
    .command("add")
    .argument("<extra>", extraNames.map((name) => `${name}: ${extras[name].about}`).join("; "))
    .description("add what is large and not for everybody; a server that runs uses it at once")
    .option("--languages <tags>", `such as eng,deu: ${Object.keys(extras.ocr.languages).join(", ")}`)
    .option(
      "--from <paths...>",
      "archives (.tgz) of its packages, or folders with them, instead of a download",
    )
    .action(async (given: string, { languages: tags, from }: { languages?: string; from?: string[] }) => {
      const name = extraNamed(given);
      const { dataDir } = context.config();
      const languages = await chosenLanguages(dataDir, name, tags);
      const packages = packagesOf(name, languages)!;
      const missing =
        from === undefined
          ? await download(
              packages,
              async (archives) => await installExtra({ dataDir, name, languages, archives }),
            )
          : await installExtra({ dataDir, name, languages, archives: await archivesIn(from) });
      if (missing.length > 0)
        throw new CommandError(
          `These are not there, or not with the hash that this version has: ${specsOf(missing)}. Where npm has a connection, get them with: npm pack ${specsOf(missing)}`,
        );
      const found = await checkExtra(dataDir, name);
      context.print({
        text: `Added ${name} (${languages.join(", ")}) to ${found.folder}.`,
        json: found,
      });
    });
}

/** `remove <extra>`. */
export function removeExtraCommand(program: Command, context: CommandContext): void {
  program
    .command("remove")
    .argument("<extra>", extraNames.join(", "))
    .description("remove what was added")
    .action(async (given: string) => {
      const name = extraNamed(given);
      const { dataDir } = context.config();
      if (!(await removeExtra(dataDir, name))) {
        const { folder } = await findExtra(dataDir, name);
        throw new CommandError(
          folder === "" ? `${name} is not there.` : `${name} is a part of the program: ${folder}`,
        );
      }
      context.print({ text: `Removed ${name}.`, json: { name } });
    });
}

/** `extras`: what can be added, and what is there. */
export function listExtras(program: Command, context: CommandContext): void {
  program
    .command("extras")
    .description("list what can be added, and what is there")
    .action(async () => {
      const found = await checkExtras(context.config().dataDir);
      const rows = found.map((extra) => [extra.name, extras[extra.name].about, describe(extra)]);
      context.print({ text: table(["extra", "what it does", "state"], rows), json: found });
    });
}

function describe({ name, state, languages }: FoundExtra): string {
  const again = `${commandLine} add ${name}`;
  switch (state) {
    case "ready":
      return `ready (${languages.join(", ")})`;
    case "missing":
      return `not added: ${again}`;
    case "outdated":
      return `of another version of Parlance: ${again}`;
    case "damaged":
      return `damaged: ${again}`;
  }
}

function extraNamed(given: string): ExtraName {
  const name = extraNames.find((known) => known === given);
  if (name === undefined)
    throw new CommandError(`There is no extra ${given}. There are: ${extraNames.join(", ")}.`);
  return name;
}

/** Those that were given, or those that it has already, or the usual one. */
async function chosenLanguages(
  dataDir: string,
  name: ExtraName,
  tags: string | undefined,
): Promise<string[]> {
  const known = Object.keys(extras[name].languages);
  if (tags === undefined) {
    const { languages } = await findExtra(dataDir, name);
    const kept = languages.filter((tag) => known.includes(tag));
    return kept.length > 0 ? kept : [...extras[name].usualLanguages];
  }
  const chosen = [...new Set(tags.split(",").map((tag) => tag.trim()))];
  const unknown = chosen.filter((tag) => !known.includes(tag));
  if (unknown.length > 0)
    throw new CommandError(
      `--languages: there is no ${unknown.map((tag) => JSON.stringify(tag)).join(", ")}. There are: ${known.join(", ")}.`,
    );
  return chosen;
}

const specsOf = (packages: readonly PinnedPackage[]): string =>
  packages.map(({ name, version }) => `${name}@${version}`).join(" ");

async function download<T>(
  packages: readonly PinnedPackage[],
  install: (archives: string[]) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "parlance-extra-"));
  try {
    await downloadPackages(specsOf(packages).split(" "), folder).catch((error: Error) => {
      throw new CommandError(
        `The download failed. Without a connection, get the archives where there is one (npm pack ${specsOf(packages)}), and name their folder with --from.\n${error.message}`,
      );
    });
    return await install(await archivesIn([folder]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function archivesIn(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const facts = await stat(path).catch(() => undefined);
      if (facts === undefined) throw new CommandError(`--from: there is no ${path}.`);
      if (!facts.isDirectory()) return [path];
      return (await readdir(path)).filter((name) => name.endsWith(".tgz")).map((name) => join(path, name));
    }),
  );
  return found.flat();
}
