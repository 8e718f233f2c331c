import { runnerImport, type Plugin } from "vite";

/**
 * Replaces a module of the contract by the value of its object, so that what it imports stays out of the browser. The object
 * becomes a module of its own with one export per property: properties that no script names are left out of the build.
 * `path`: the end of the module's path. `name`: the export with the object.
 */
export function usedValues(path: string, name: string): Plugin {
  const query = "?properties";
  return {
    name: `used-values-of-${name}`,
    enforce: "pre",
    resolveId: {
      filter: { id: /\?properties$/ },
      handler: (id) => id,
    },
    async load(id) {
      if (id.endsWith(path)) return `export * as ${name} from ${JSON.stringify(id + query)};`;
      if (!id.endsWith(path + query)) return undefined;
      const { module, dependencies } = await runnerImport<Record<string, object>>(id.slice(0, -query.length));
      for (const file of dependencies) this.addWatchFile(file);
      return Object.entries(module[name]!)
        .map(
          ([property, value], index) =>
            `const value${index} = ${JSON.stringify(value)};\nexport { value${index} as ${JSON.stringify(property)} };`,
        )
        .join("\n");
    },
  };
}
