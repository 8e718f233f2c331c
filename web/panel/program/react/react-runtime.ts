import * as React from "react";
import * as jsxRuntime from "react/jsx-runtime";
import * as ReactDom from "react-dom";
import * as ReactDomClient from "react-dom/client";
import { transform } from "sucrase";

// A script of its own, which runs in the sandboxed frame and not in the page.

/** Whether the program renders by itself. */
let hasRendered = false;

/** What a program can import. */
const modules: Record<string, unknown> = {
  react: React,
  "react/jsx-runtime": jsxRuntime,
  "react-dom": ReactDom,
  "react-dom/client": {
    ...ReactDomClient,
    createRoot(...given: Parameters<typeof ReactDomClient.createRoot>) {
      hasRendered = true;
      return ReactDomClient.createRoot(...given);
    },
  },
};

function load(name: string): unknown {
  if (Object.hasOwn(modules, name)) return modules[name];
  throw new Error(`Cannot import "${name}". A program can import: ${Object.keys(modules).join(", ")}.`);
}

/** Runs a module of JSX or TypeScript, and shows its component: the default export, or else the one named App. */
function run(code: string): void {
  const { code: compiled } = transform(code, {
    transforms: ["jsx", "typescript", "imports"],
    jsxRuntime: "automatic",
    production: true,
  });
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const body = `${guarded(compiled)}\n;return typeof App === "function" ? App : undefined;`;
  // oxlint-disable-next-line typescript/no-implied-eval -- the frame exists to run it
  const app: unknown = new Function("require", "module", "exports", body)(load, module, module.exports);
  const component = module.exports["default"] ?? app ?? Object.values(module.exports).find(isComponent);
  const root = document.querySelector("#root");
  if (hasRendered || root === null) return;
  if (!isComponent(component)) throw new Error("Nothing to show: export a component as default.");
  ReactDomClient.createRoot(root).render(React.createElement(component));
}

/** With checks in its loops, where they could stop the page (`../guard/guard-runtime.ts`). */
function guarded(code: string): string {
  const { guardCode } = globalThis as { guardCode?: (code: string) => string };
  return guardCode === undefined ? code : guardCode(code);
}

function isComponent(value: unknown): value is React.ComponentType {
  return typeof value === "function" || (typeof value === "object" && value !== null && "$$typeof" in value);
}

// Programs that are written for a page with React's script use it without an import.
Object.assign(globalThis, { React, runReact: run });
