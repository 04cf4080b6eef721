// Asks a door as the official client of AG-UI does. Its input is a list of turns as JSON: a text of
// the user, or what is said to the interrupt. What the client made of it goes to standard output.
import { createRequire } from "node:module";

const [folder, url, key, turns] = process.argv.slice(2);
const { HttpAgent, buildResumeArray, isInterruptExpired } = createRequire(`${folder}/`)("@ag-ui/client");
const agent = new HttpAgent({ url, threadId: "thread-1", headers: { authorization: `Bearer ${key}` } });
const told = [];
for (const turn of JSON.parse(turns)) {
  const seen = { types: [], errors: [] };
  const watcher = {
    onEvent: ({ event }) => { seen.types.push(event.type); },
    onRunErrorEvent: ({ event }) => { seen.errors.push(event.code); },
  };
  const open = agent.pendingInterrupts ?? [];
  let parameters = {};
  if (typeof turn === "string") agent.addMessage({ id: crypto.randomUUID(), role: "user", content: turn });
  else parameters = { resume: buildResumeArray(open, Object.fromEntries(open.map((one) => [one.id, turn]))) };
  try { await agent.runAgent(parameters, watcher); } catch (error) { seen.thrown = String(error); }
  const pending = agent.pendingInterrupts ?? [];
  told.push({ ...seen, interrupts: pending, expired: pending.map((one) => isInterruptExpired(one)) });
}
console.log(JSON.stringify({ turns: told, messages: agent.messages }));
