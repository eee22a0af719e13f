import { plainToInstance } from 'class-transformer';
import { IsString, validateSync } from 'class-validator';
import { ListOf, Nested, nestedClass } from './field.decorators';

class Leaf {
  @IsString() name!: string;
}

class Tree {
  @Nested(() => Leaf) leaf!: Leaf;
  @ListOf(() => Leaf, { minimum: 1, maximum: 2 }) leaves!: Leaf[];
}

class TallTree extends Tree {
  @IsString() height!: string;
}

const leaf = { name: 'green' };
const accepts = (fields: object) =>
  validateSync(plainToInstance(Tree, { leaf, leaves: [leaf], ...fields })).length === 0;

describe('Nested', () => {
  it('takes an object of its class', () => expect(accepts({})).toBe(true));
  it.each([[[]], [[leaf]], [null], ['green'], [{}], [{ name: 5 }]])('refuses %j', (value) =>
    expect(accepts({ leaf: value })).toBe(false),
  );
});

describe('ListOf', () => {
  it('takes objects of its class', () => expect(accepts({ leaves: [leaf, leaf] })).toBe(true));
  it.each([[[]], [[[]]], [[[leaf]]], [[null]], [['green']], [[{}]], [leaf], [null], [[leaf, leaf, leaf]]])(
    'refuses %j',
    (value) => expect(accepts({ leaves: value })).toBe(false),
  );
});

describe('nestedClass', () => {
  it('finds own and inherited fields', () => {
    expect(nestedClass(Tree, 'leaf')).toBe(Leaf);
    expect(nestedClass(TallTree, 'leaves')).toBe(Leaf);
    expect(nestedClass(TallTree, 'height')).toBeUndefined();
  });
});
