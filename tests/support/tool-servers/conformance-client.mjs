// The command that the protocol's conformance suite starts for each scenario. The test that started the suite does the work.
const response = await fetch(process.env.CONFORMANCE_DRIVER ?? "", {
  method: "POST",
  body: JSON.stringify({
    url: process.argv.at(-1),
    scenario: process.env.MCP_CONFORMANCE_SCENARIO,
    context: JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}"),
  }),
});
if (!response.ok) {
  console.error(await response.text());
  process.exit(1);
}
