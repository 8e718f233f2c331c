// Makes a release in dist/release, and prints the commands that publish it.
import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inRoot } from "../runner/files.mjs";
import { makeRelease, notesOf } from "./make-release.ts";

const git = (...args: string[]) => execFileSync("git", args, { cwd: inRoot(), encoding: "utf8" }).trim();
const { version } = JSON.parse(await readFile(inRoot("package.json"), "utf8")) as { version: string };
const tag = `v${version}`;
const notes = await notesOf(version);

/** Later versions are tested with databases that are saved in folders with the name of their newest migration. */
const listMigrations =
  'const { migrations } = await import("#storage/migrations/list.ts"); console.log(Object.keys(migrations).toSorted().at(-1))';
const newestMigration = execFileSync(process.execPath, ["--input-type=module", "--eval", listMigrations], {
  cwd: inRoot(),
  encoding: "utf8",
}).trim();
const saved = await readdir(inRoot("storage/migrations/fixtures"));

const problems = [
  git("status", "--porcelain") === "" ? [] : ["There are changes that are not committed."],
  git("tag", "--list", tag) === "" ? [] : [`The tag ${tag} exists. Set another version in package.json.`],
  saved.includes(newestMigration)
    ? []
    : [`storage/migrations/fixtures has no ${newestMigration}: docs/development.md says how it is saved.`],
  notes === undefined ? [`CHANGELOG.md has no section "## ${version}".`] : [],
].flat();
if (notes === undefined || problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}

const folder = inRoot("dist", "release");
const commit = git("rev-parse", "HEAD");
const { archive, files } = await makeRelease(folder, { commit, notes });
console.log(`${folder} has ${files.join(", ")}.

To publish it:
  git tag --annotate ${tag} --file ${join(folder, "NOTES.md")} && git push origin ${tag}
  npm publish ${join(folder, archive)}
  docker build --build-arg COMMIT=${commit} --tag parlance:${version} .`);
