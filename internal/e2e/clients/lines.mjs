// What every script here talks in: JSON objects, one a line.
import { createInterface } from 'node:readline';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

export const say = (object) => process.stdout.write(JSON.stringify(object) + '\n');

// listen gives the next object that was written to us, or nothing at the end.
export async function listen() {
  const { value, done } = await lines.next();
  return done ? undefined : JSON.parse(value);
}
