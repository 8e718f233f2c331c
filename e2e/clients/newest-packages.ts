import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const newest = "@assistant-ui/react-0.15.22";
const importer = fileURLToPath(new URL(`../../node_modules/${newest}/package.json`, import.meta.url));

/**
 * Builds an app with the versions of assistant-ui's packages that a new app gets, unmodified: core 0.3.35 and what comes with
 * it. They are installed below an alias, beside the pinned ones.
 */
export function newestPackages(): Plugin {
  return {
    name: "newest packages of assistant-ui",
    enforce: "pre",
    async resolveId(id, _, options) {
      if (!/^@assistant-ui\/(react|core|store|tap)(\/|$)/.test(id)) return null;
      const named = id.replace(/^@assistant-ui\/react(?=\/|$)/, newest);
      return await this.resolve(named, importer, { ...options, skipSelf: true });
    },
  };
}
