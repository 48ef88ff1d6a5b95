// Scripts exchange JSON objects with the test, one a line.
import { createInterface } from 'node:readline';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

export const say = (object) => process.stdout.write(JSON.stringify(object) + '\n');

// listen returns the next object from the test, or undefined at the end.
export async function listen() {
  const { value, done } = await lines.next();
  return done ? undefined : JSON.parse(value);
}
