import { runnerImport, type Plugin } from "vite";

/**
 * Replaces a module of the contract by the value of its object, so that what it imports stays out of the browser. The object
 * becomes a module of its own with one export per property: properties that no script names are left out of the build.
 * `path`: the end of the module's path. `name`: the export with the object. `isSplit`: each property becomes a module, which
 * loads with the scripts that name it.
 */
export function usedValues(path: string, name: string, { isSplit = false } = {}): Plugin {
  const query = "?properties";
  let object: Record<string, unknown> = {};
  return {
    name: `used-values-of-${name}`,
    enforce: "pre",
    resolveId: {
      filter: { id: /\?(properties$|property=)/ },
      handler: (id) => id,
    },
    async load(id) {
      if (id.endsWith(path)) return `export * as ${name} from ${JSON.stringify(id + query)};`;
      // The ending says that it is a script.
      const [, property] = new RegExp(`${RegExp.escape(path)}\\?property=(.*)\\.js$`).exec(id) ?? [];
      if (property !== undefined) return `export default ${JSON.stringify(object[property])};`;
      if (!id.endsWith(path + query)) return undefined;
      const file = id.slice(0, -query.length);
      const { module, dependencies } = await runnerImport<Record<string, typeof object>>(file);
      for (const dependency of dependencies) this.addWatchFile(dependency);
      object = module[name]!;
      return Object.entries(object)
        .map(([key, value], index) =>
          isSplit
            ? `export { default as ${JSON.stringify(key)} } from ${JSON.stringify(`${file}?property=${key}.js`)};`
            : `const value${index} = ${JSON.stringify(value)};\nexport { value${index} as ${JSON.stringify(key)} };`,
        )
        .join("\n");
    },
  };
}
