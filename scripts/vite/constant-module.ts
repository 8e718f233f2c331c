import { runnerImport, type Plugin } from "vite";

/**
 * Replaces a module of the contract by the value of its export `name`, so that what it imports stays out of the browser.
 * `path`: the end of the module's path. Use `usedValues` for an object of which scripts name only some properties.
 */
export function constantModule(path: string, name: string): Plugin {
  return {
    name: `constant-${name}`,
    enforce: "pre",
    async load(id) {
      if (!id.endsWith(path)) return undefined;
      const { module, dependencies } = await runnerImport<Record<string, object>>(id);
      for (const file of dependencies) this.addWatchFile(file);
      return `export const ${name} = ${JSON.stringify(module[name])};`;
    },
  };
}
