// Puts the package into a folder, for images: node scripts/run.mjs stage <folder> [commit]. `dist/` must be built.
import { stagePackage } from "./stage.ts";

const [folder, commit = ""] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Which folder? node scripts/run.mjs stage <folder> [commit]");
  process.exit(2);
}
await stagePackage(folder, { commit: commit === "" ? undefined : commit });
