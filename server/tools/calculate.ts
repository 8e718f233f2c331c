import { isJsonObject } from "#contract/json.ts";
import type { ToolWorker } from "./tool-worker.ts";
import { ToolError, type ServerToolDefinition } from "./tool.ts";

/** Arithmetic, percentages, functions and units: `{ expression }` gives `{ result: "16.09344 km", value, unit, exact }`. */
export function createCalculate(worker: ToolWorker): ServerToolDefinition {
  return {
    name: "calculate",
    readsOtherThreads: false,
    effect: "reads",
    readsStrangers: false,
    description:
      "Calculates one expression exactly: arithmetic, percentages, powers and roots, trigonometry, statistics, and " +
      "conversion between units. Use it for every calculation instead of working it out yourself. " +
      "Examples: 2 * (3 + 4)^2; 15% * 240; 200 + 10%; 10 miles in km; 72 degF to degC; 5 ft + 11 inch to cm; " +
      "100 km/hour to mi/hour; 1 GiB to MB; sqrt(2); sin(30 deg); factorial(20); mean(3, 5, 10).",
    parameters: {
      type: "object",
      properties: {
        expression: { type: "string", description: "The expression, at most 1000 characters." },
      },
      required: ["expression"],
      additionalProperties: false,
    },
    async run(args, { signal }) {
      const expression = isJsonObject(args) ? args.expression : args;
      // Models sometimes send a bare number.
      if (typeof expression !== "string" && typeof expression !== "number") {
        throw new ToolError('Give the expression as text: { "expression": "2 * (3 + 4)" }.');
      }
      return await worker.run({ name: "calculate", expression: String(expression) }, signal);
    },
  };
}
