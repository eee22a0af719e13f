import { Controller, Delete, Get, Module } from '@nestjs/common';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';
import { partOf } from '.';

it('two classes of one name stop the writing: one would have the schema of the other', async () => {
  class DeletionView {
    @ApiProperty() id!: string;
  }
  const other = () => {
    class DeletionView {
      @ApiProperty() at!: string;
    }
    return DeletionView;
  };
  const written = (type: new () => object) => {
    @Controller('v1/changes')
    class ChangesController {
      @Get() @ApiResponse({ status: 200, type: DeletionView }) last(): void {}
      @Delete() @ApiResponse({ status: 202, type }) delete(): void {}
    }
    @Module({ controllers: [ChangesController] })
    class ChangesModule {}
    const options = { info: { title: 'Shop', version: '1' }, tags: [], examples: () => ({}), description: '' };
    return partOf(ChangesModule, options);
  };
  await expect(written(DeletionView)).resolves.toHaveProperty('components.schemas.DeletionView');
  await expect(written(other())).rejects.toThrow('"DeletionView" is defined multiple times');
});
