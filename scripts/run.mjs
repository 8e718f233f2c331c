// The one door to every command. Free of dependencies and readable by old Nodes, because it runs before
// anything is installed: it picks a Node, brings what is missing, and then runs the command.
import { commandNamed, listOfCommands } from "./runner/commands.mjs";
import { runChild } from "./runner/child.mjs";
import { prepare } from "./runner/prepare.mjs";

const [name = "", ...args] = process.argv.slice(2);
const command = commandNamed(name);
if (!command) {
  console.error(`${name ? `There is no command "${name}".` : "Which command?"}\n\n${listOfCommands()}`);
  process.exit(2);
}

const node = await prepare(command.needs);
const code = await runChild(node.binary, command.line(args));
if (code === 0) command.after?.(args, node);
process.exit(code);
