// The entry point of every command. It has no dependencies and runs on old Nodes, because it runs before anything is
// installed: it chooses a Node, installs what is missing, and runs the command.
import { runChild } from "./runner/child.mjs";
import { commandNamed, listOfCommands } from "./runner/commands.mjs";
import { prepare } from "./runner/prepare.mjs";

const [name = "", ...given] = process.argv.slice(2);
const command = commandNamed(name);
if (!command) {
  console.error(`${name ? `There is no command "${name}".` : "Which command?"}\n\n${listOfCommands()}`);
  process.exit(2);
}

const node = await prepare(command.need);
process.exit(await runChild(node, command.args(given)));
